/**
 * Documents of many MB, and what becomes of one that 5 MB are pasted into. VS Code gives extensions no document over 50 MB, so nothing is asked there. What is
 * read of a document at a key is counted in unit/mocked/large_documents; here the editor's own documents are worked in, and the time is a figure.
 */
import * as assert from 'node:assert';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import { ask, closeEditors, eventually, figure, moveTo, place, readyApi, set } from '../suite/workbench';

const LINE = 'value = compute(1)\n';
/** More than VS Code gives to extensions. */
const TOO_LARGE = 51 * 2 ** 20;
const LARGE = 48 * 2 ** 20;
const PASTE = 5 * 2 ** 20;
/** Of each kind, with the extension on and off in turn. */
const KEYS = 8;
const ROUNDS = 2;

suite('large documents', () => {
  let api: EmberlineApi;
  let folder: string;

  suiteSetup(async () => {
    api = await readyApi();
    // Each would be written to the disk again and again.
    await set('files.autoSave', 'off');
    folder = mkdtempSync(join(tmpdir(), 'emberline-large-'));
  });
  suiteTeardown(async () => {
    await set('files.autoSave', undefined);
    rmSync(folder, { recursive: true, force: true });
  });
  teardown(async () => {
    await set('emberline.enable', undefined);
    await closeEditors();
  });

  function written(name: string, content: string): vscode.Uri {
    const path = join(folder, name);
    writeFileSync(path, content);
    return vscode.Uri.file(path);
  }

  test('one over 50 MB is none that an extension is given, and the next one is completed', async function () {
    this.timeout(120_000);
    const uri = written('too-large.py', LINE.repeat(Math.ceil(TOO_LARGE / LINE.length)));
    await assert.rejects(async () => vscode.workspace.openTextDocument(uri), /50MB/);
    const { requests } = api.counters;
    await vscode.commands.executeCommand('vscode.open', uri);
    await eventually(
      () => vscode.window.tabGroups.activeTabGroup.activeTab?.label === 'too-large.py',
      'the large file is shown',
    );
    await vscode.commands.executeCommand('type', { text: 'x' });
    assert.ok(!vscode.workspace.textDocuments.some((one) => one.uri.path === uri.path));
    assert.strictEqual(api.counters.requests, requests);
    await vscode.commands.executeCommand('undo');
    await closeEditors();
    const { request } = await ask(api, await place('def add(a, b):\n    return |'));
    assert.strictEqual(request.outcome.source, 'model');
  });

  test('one of 48 MB is completed from what is near the cursor', async function () {
    this.timeout(120_000);
    const end = 'def add(a, b):\n    return ';
    const document = await vscode.workspace.openTextDocument(
      written('large.py', LINE.repeat(LARGE / LINE.length) + end),
    );
    const position = document.lineAt(document.lineCount - 1).range.end;
    const { request } = await ask(api, { document, position });
    assert.strictEqual(request.outcome.source, 'model', request.outcome.reason);
    assert.ok(request.outcome.timings.promptTokens < 2_000);
  });

  /** Time of the extension host's JavaScript thread for a key, ms, with suggestions and without. */
  async function keys(editor: vscode.TextEditor, cursor: vscode.Position): Promise<string> {
    const spent = { on: 0, off: 0 };
    for (let round = 0; round < 2 * ROUNDS; round++) {
      const which = round % 2 === 0 ? 'on' : 'off';
      await set('emberline.enable', which === 'on');
      moveTo(editor, cursor);
      await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
      const before = performance.eventLoopUtilization();
      for (let key = 0; key < KEYS; key++) {
        const { version } = editor.document;
        await vscode.commands.executeCommand('type', { text: 'y' });
        await eventually(() => editor.document.version > version && api.pending === 0, 'the key is typed');
      }
      spent[which] += performance.eventLoopUtilization(before).active / KEYS / ROUNDS;
    }
    await set('emberline.enable', undefined);
    return `${spent.on.toFixed(1)} ms with suggestions, ${spent.off.toFixed(1)} ms without`;
  }

  for (const [what, paste, ending] of [
    ['lines', LINE.repeat(PASTE / LINE.length), 'model'],
    ['one line', 'x'.repeat(PASTE), 'line_too_long'],
  ] as const) {
    test(`a paste of 5 MB in ${what} leaves the text as it is`, async function () {
      this.timeout(300_000);
      const [front, back] = ['"""Notes."""\nvalue = ', '\n'];
      const document = await vscode.workspace.openTextDocument(written(`pasted-${what}.py`, front + back));
      const editor = await vscode.window.showTextDocument(document);
      const cursor = new vscode.Position(1, 3);
      const before = await keys(editor, cursor);
      const end = document.lineAt(1).range.end;
      assert.ok(await editor.edit((edit) => edit.insert(end, paste)));
      const asked = await ask(api, { document, position: end });
      const { source, reason } = asked.request.outcome;
      assert.ok([source, reason].includes(ending), `${source}, ${reason}`);
      const after = await keys(editor, cursor);
      const at = front.indexOf('\n') + 1 + cursor.character;
      const typed = 'y'.repeat(4 * ROUNDS * KEYS);
      const expected = front.slice(0, at) + typed + front.slice(at) + paste + back;
      // Not compared by `strictEqual`, which would print both.
      assert.ok(
        document.getText() === expected,
        `${document.getText().length} units, not ${expected.length}`,
      );
      figure(
        `a key on the extension host's JavaScript thread: ${before}; after a paste of 5 MB in ${what} ${after}`,
      );
    });
  }
});
