/** A thousand open documents, and edits faster than anybody types: memory and work stay small, no edit is lost, and ghost text comes back. */
import * as assert from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import { memoryInUse } from '../suite/memory_in_use';
import {
  ask,
  closeEditors,
  edit,
  eventually,
  figure,
  readyApi,
  set,
  showGhostText,
  workspaceFolder,
} from '../suite/workbench';

const DOCUMENTS = 1_000;
/** The editor lets documents go that nobody shows, all but some 50. */
const AT_ONCE = 25;
/** Of them that are looked at, more than are remembered. */
const SHOWN = 12;
/** `EMBERLINE_LOAD_SECONDS=60` for a minute of it. */
const SECONDS = Number(process.env['EMBERLINE_LOAD_SECONDS'] ?? 5);
const EDITS_A_SECOND = 500;
const TICK_MS = 20;
/** Requests that have not come to an end: the last one, and one that is being cancelled. */
const MOST_PENDING = 4;
const HEAP_BYTES = 24 * 2 ** 20;
const RESIDENT_BYTES = 96 * 2 ** 20;

const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

suite('many documents, many edits', () => {
  let api: EmberlineApi;
  let folder: vscode.Uri;

  suiteSetup(async () => {
    api = await readyApi();
    folder = vscode.Uri.joinPath(workspaceFolder(), 'many-documents');
    for (const name of ['definitions', 'similarCode']) await set(`emberline.completion.${name}`, 'always');
    await set('emberline.completion.recentEdits', true);
  });
  suiteTeardown(async () => {
    for (const name of ['definitions', 'similarCode', 'recentEdits'])
      await set(`emberline.completion.${name}`, undefined);
    await closeEditors();
    await vscode.workspace.fs.delete(folder, { recursive: true });
  });
  teardown(closeEditors);

  test('a thousand open documents take what the editor needs for them, and a suggestion reads a few', async function () {
    this.timeout(300_000);
    const uris = Array.from({ length: DOCUMENTS }, (_, at) => vscode.Uri.joinPath(folder, `part_${at}.py`));
    const body = Array.from(
      { length: 40 },
      (_, line) => `def step_${line}(order, tax):\n    return order + tax\n`,
    );
    for (const [at, uri] of uris.entries()) {
      const front = at === 0 ? '' : `from part_${at - 1} import step_1\n`;
      await vscode.workspace.fs.writeFile(uri, Buffer.from(front + body.join('')));
    }
    const bytes = body.join('').length * DOCUMENTS;
    const before = memoryInUse();
    const documents: vscode.TextDocument[] = [];
    for (let from = 0; from < DOCUMENTS; from += AT_ONCE) {
      const some = uris.slice(from, from + AT_ONCE).map((uri) => vscode.workspace.openTextDocument(uri));
      documents.push(...(await Promise.all(some)));
    }
    for (const document of documents.slice(-SHOWN)) await vscode.window.showTextDocument(document);
    const document = documents.at(-1);
    assert.ok(document !== undefined);
    const position = new vscode.Position(document.lineCount - 1, 0);
    const asked: number[] = [];
    for (let round = 0; round < 5; round++) {
      const { request } = await ask(api, { document, position });
      asked.push(request.outcome.timings.promptTokens);
    }
    assert.strictEqual(documents.length, DOCUMENTS);
    assert.ok(Math.max(...asked) < 4_000);
    const grown = memoryInUse().heapUsed - before.heapUsed;
    // This test holds all of them, with their lines; of those that are not shown nothing of ours is held.
    assert.ok(grown < HEAP_BYTES + 2 * bytes, `${mib(grown)} MiB`);
  });

  test(`${EDITS_A_SECOND} edits a second leave no queue, and the text is what was typed`, async function () {
    this.timeout((SECONDS + 120) * 1_000);
    await set('editor.autoClosingBrackets', 'never');
    const editor = await edit('|\n\ndef add(a, b):\n    return ');
    const { document } = editor;
    const rest = document.getText();
    await showGhostTextAtEnd(editor);
    await vscode.commands.executeCommand('cursorTop');
    const before = memoryInUse();
    const { requests, modelCalls } = api.counters;
    let sent = 0;
    let pending = 0;
    const began = performance.now();
    const typed: Thenable<unknown>[] = [];
    while (performance.now() - began < SECONDS * 1_000) {
      const due = ((performance.now() - began) / 1_000) * EDITS_A_SECOND;
      while (sent < due) {
        const text = String.fromCharCode(97 + (sent % 26));
        typed.push(vscode.commands.executeCommand('type', { text: ++sent % 80 === 0 ? '\n' : text }));
      }
      pending = Math.max(pending, api.pending);
      await delay(TICK_MS);
    }
    await Promise.all(typed);
    const seconds = (performance.now() - began) / 1_000;
    const expected = Array.from({ length: sent }, (_, at) =>
      (at + 1) % 80 === 0 ? '\n' : String.fromCharCode(97 + (at % 26)),
    ).join('');
    await eventually(() => document.getText().length >= expected.length + rest.length, 'all is typed');
    assert.strictEqual(document.getText(), expected + rest);
    assert.ok(pending <= MOST_PENDING, `${pending} requests at once`);
    await eventually(() => api.pending === 0, 'all requests ended');
    const now = api.counters;
    await showGhostTextAtEnd(editor);
    const after = memoryInUse();
    assert.ok(
      after.heapUsed - before.heapUsed < HEAP_BYTES,
      `heap ${mib(after.heapUsed - before.heapUsed)} MiB`,
    );
    assert.ok(after.rss - before.rss < RESIDENT_BYTES, `resident ${mib(after.rss - before.rss)} MiB`);
    figure(
      `${sent} edits in ${seconds.toFixed(1)} s: ${now.requests - requests} requests, ${now.modelCalls - modelCalls} of them to the model, ${pending} at once at most; heap ${mib(after.heapUsed - before.heapUsed)} MiB, resident ${mib(after.rss - before.rss)} MiB larger`,
    );
  });

  async function showGhostTextAtEnd(editor: vscode.TextEditor): Promise<void> {
    const { document } = editor;
    const end = document.lineAt(document.lineCount - 1).range.end;
    editor.selection = new vscode.Selection(end, end);
    await showGhostText(api, editor);
    await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
  }

  suiteTeardown(() => set('editor.autoClosingBrackets', undefined));
});
