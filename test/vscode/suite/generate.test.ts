/** Generating at the cursor: it grows in the editor, stops when told, is one undo step, and never touches what is not its own. */
import * as assert from 'node:assert';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import type { Generation } from '../../../extension/generate/generator';
import { ask, changeBy, closeEditors, edit, eventually, place, readyApi, set } from './workbench';

/** Goes on and on. */
const NUMBERS = 'numbers = [1, 2, 3, 4, 5,|';
/** Goes on for a few lines. */
const FUNCTION = 'def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):|';
/** Far more tokens than are generated before a test stops it. */
const MANY_TOKENS = 400;
/** They take long enough for a test to see that they are generated, and are waited for. */
const SOME_TOKENS = 120;
/** To edit a text before it is finished. */
const MOST_ATTEMPTS = 10;

async function generate(): Promise<Generation> {
  return vscode.commands.executeCommand<Generation>('emberline.generate');
}

/** Generates, and does `act` once the text has begun to grow in `document`. */
async function generateAnd(
  document: vscode.TextDocument,
  act: () => PromiseLike<unknown>,
): Promise<Generation> {
  const { length } = document.getText();
  let begin: (() => void) | undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const listener = vscode.workspace.onDidChangeTextDocument((event) => {
    if (event.document === document && document.getText().length > length) begin?.();
  });
  try {
    const [generation] = await Promise.all([generate(), begun.then(act)]);
    return generation;
  } finally {
    listener.dispose();
  }
}

/** Edits a document that grows: the editor refuses edits made for an older version. */
async function insertInto(document: vscode.TextDocument, offset: number, text: string): Promise<void> {
  const insertion = (): vscode.WorkspaceEdit => {
    const change = new vscode.WorkspaceEdit();
    change.insert(document.uri, document.positionAt(offset), text);
    return change;
  };
  while (!(await vscode.workspace.applyEdit(insertion())));
}

const stop = (): Thenable<unknown> => vscode.commands.executeCommand('emberline.stopGenerating');

suite('generating at the cursor', () => {
  let api: EmberlineApi;
  let folder: string;

  suiteSetup(async () => {
    api = await readyApi();
    folder = mkdtempSync(join(tmpdir(), 'emberline-generate-'));
    await set('editor.inlineSuggest.enabled', false);
  });
  setup(() => set('emberline.generate.maxTokens', 48));
  teardown(async () => {
    await set('emberline.generate.maxTokens', undefined);
    await set('emberline.generate.keepPartial', undefined);
    await vscode.commands.executeCommand('notifications.clearAll');
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    await closeEditors();
  });
  suiteTeardown(async () => {
    await set('editor.inlineSuggest.enabled', undefined);
    rmSync(folder, { recursive: true, force: true });
  });

  test('grows piece by piece, keeps its indentation, and is one undo step', async () => {
    const editor = await edit(FUNCTION);
    const { document } = editor;
    const before = document.getText();
    const seen: string[] = [];
    const listener = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && event.contentChanges.length > 0) seen.push(document.getText());
    });
    const generation = await generate();
    listener.dispose();
    assert.strictEqual(generation.ending, 'finished', generation.sentence);
    assert.match(generation.text, /^\n {4}return a - b/);
    assert.strictEqual(document.getText(), before + generation.text);
    assert.ok(seen.length > 1, `it came in ${seen.length} pieces`);
    for (const [index, text] of seen.entries()) assert.ok(text.startsWith(seen[index - 1] ?? before));
    assert.ok(editor.selection.isEmpty);
    assert.strictEqual(document.offsetAt(editor.selection.active), document.getText().length);
    await changeBy('undo', document);
    assert.strictEqual(document.getText(), before);
    await changeBy('redo', document);
    assert.strictEqual(document.getText(), before + generation.text);
  });

  test('is the same at the same place', async () => {
    const editor = await edit(FUNCTION);
    const first = await generate();
    await changeBy('undo', editor.document);
    const second = await generate();
    assert.notStrictEqual(first.text, '');
    assert.strictEqual(second.text, first.text);
  });

  test('is stopped, and what is partial stays as one undo step', async () => {
    await set('emberline.generate.maxTokens', MANY_TOKENS);
    await set('emberline.generate.keepPartial', 'keep');
    const { document } = await edit(NUMBERS);
    const before = document.getText();
    const generation = await generateAnd(document, stop);
    assert.strictEqual(generation.ending, 'stopped');
    assert.strictEqual(generation.completion?.stop, 'cancelled');
    assert.ok(generation.completion.timings.generatedTokens < MANY_TOKENS);
    assert.strictEqual(document.getText(), before + generation.text);
    assert.notStrictEqual(generation.text, '');
    await changeBy('undo', document);
    assert.strictEqual(document.getText(), before);
    assert.strictEqual(api.status, 'ready');
  });

  test('is stopped, and what is partial goes', async () => {
    await set('emberline.generate.maxTokens', MANY_TOKENS);
    await set('emberline.generate.keepPartial', 'drop');
    const { document } = await edit(NUMBERS);
    const before = document.getText();
    const generation = await generateAnd(document, stop);
    assert.deepStrictEqual([generation.ending, generation.text], ['stopped', '']);
    assert.strictEqual(document.getText(), before);
    await vscode.commands.executeCommand('undo');
    assert.strictEqual(document.getText(), before);
  });

  test('is stopped, and stays where nobody answers the question', async () => {
    await set('emberline.generate.maxTokens', MANY_TOKENS);
    const { document } = await edit(NUMBERS);
    const before = document.getText();
    const generation = await generateAnd(document, stop);
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    assert.strictEqual(generation.ending, 'stopped');
    assert.strictEqual(document.getText(), before + generation.text);
  });

  test('moves along with edits elsewhere', async () => {
    const { document } = await edit(FUNCTION);
    const before = document.getText();
    const generation = await generateAnd(document, () => insertInto(document, 0, '# arithmetic\n'));
    assert.strictEqual(generation.ending, 'finished', generation.sentence);
    assert.strictEqual(document.getText(), `# arithmetic\n${before}${generation.text}`);
  });

  test('ends where it is edited, and leaves the edit alone', async () => {
    await set('emberline.generate.maxTokens', MANY_TOKENS);
    // The editor may refuse the edit until the text is finished: it grows meanwhile.
    for (let attempt = 1; ; attempt++) {
      const { document } = await edit(NUMBERS);
      const start = document.getText().length;
      const generation = await generateAnd(document, () => insertInto(document, start, '<mine>'));
      if (generation.ending === 'finished' && attempt < MOST_ATTEMPTS) continue;
      assert.strictEqual(generation.ending, 'edited', generation.sentence);
      assert.ok(document.getText().includes('5,<mine>'), document.getText());
      const left = document.getText();
      await eventually(() => api.status === 'ready', 'the engine is idle');
      assert.strictEqual(document.getText(), left);
      return;
    }
  });

  test('ends where its document is closed', async () => {
    await set('emberline.generate.maxTokens', MANY_TOKENS);
    const { document } = await edit(NUMBERS);
    const generation = await generateAnd(document, closeEditors);
    // An editor that is closed without saving takes back what was written first.
    assert.ok(['edited', 'closed'].includes(generation.ending), generation.sentence);
    assert.strictEqual(api.status, 'ready');
  });

  test('goes on while another editor is looked at', async () => {
    const { document } = await edit(FUNCTION);
    const before = document.getText();
    const other = await place('other = |');
    const generation = await generateAnd(document, () => vscode.window.showTextDocument(other.document));
    assert.strictEqual(generation.ending, 'finished', generation.sentence);
    assert.match(generation.text, /return a - b/);
    assert.strictEqual(document.getText(), before + generation.text);
    assert.strictEqual(other.document.getText(), 'other = ');
    // Nor is it changed for others behind the back of who looks elsewhere now.
    await vscode.commands.executeCommand('emberline.nextCandidate');
    assert.strictEqual(document.getText(), before + generation.text);
  });

  test('writes line breaks and tabs as the document does', async () => {
    const path = join(folder, 'windows.go');
    const before =
      'func add(a int, b int) int {\r\n\treturn a + b\r\n}\r\n\r\nfunc subtract(a int, b int) int {';
    writeFileSync(path, before);
    const document = await vscode.workspace.openTextDocument(path);
    const editor = await vscode.window.showTextDocument(document);
    editor.options = { insertSpaces: false, tabSize: 4 };
    const end = document.positionAt(before.length);
    editor.selection = new vscode.Selection(end, end);
    const generation = await generate();
    assert.strictEqual(generation.ending, 'finished', generation.sentence);
    assert.match(generation.text, /^\r\n\treturn a - b/);
    assert.ok(!/[^\r]\n/.test(document.getText()) && !/^ /m.test(document.getText()));
    await changeBy('undo', document);
    assert.strictEqual(document.getText(), before);
  });

  test('stays on its line where something stands right of the cursor', async () => {
    const editor = await edit('def add(a, b):\n    return a + b\n\n\nprint(add(|))\n');
    const generation = await generate();
    assert.strictEqual(generation.ending, 'finished', generation.sentence);
    assert.ok(generation.text !== '' && !generation.text.includes('\n'));
    const line = editor.document.lineAt(4).text;
    assert.strictEqual(line.split('(').length, line.split(')').length, line);
  });

  test('has suggestions wait', async () => {
    await set('emberline.generate.maxTokens', MANY_TOKENS);
    await set('emberline.generate.keepPartial', 'keep');
    const { document } = await edit(NUMBERS);
    const other = await place('x = |');
    let reason = '';
    const generation = await generateAnd(document, async () => {
      assert.strictEqual(api.status, 'generating');
      assert.match(api.tooltip, /Escape/);
      reason = (await ask(api, other)).request.outcome.reason;
      assert.strictEqual((await generate()).ending, 'already_running');
      await stop();
    });
    assert.strictEqual(reason, 'generating');
    assert.strictEqual(generation.ending, 'stopped');
  });

  test('says why it cannot', async () => {
    const editor = await edit('one\ntwo|');
    editor.selections = [new vscode.Selection(0, 3, 0, 3), new vscode.Selection(1, 3, 1, 3)];
    assert.match((await generate()).sentence, /several cursors/);
    editor.selections = [new vscode.Selection(0, 0, 1, 0)];
    assert.match((await generate()).sentence, /selected/);
    assert.strictEqual(editor.document.getText(), 'one\ntwo');
  });

  test('leaves secrets and what is read-only alone', async () => {
    const secrets = join(folder, '.env');
    writeFileSync(secrets, 'TOKEN=');
    const document = await vscode.workspace.openTextDocument(secrets);
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(0, 6, 0, 6);
    assert.match((await generate()).sentence, /secrets/);
    const path = join(folder, 'fixed.py');
    const content = NUMBERS.slice(0, -1);
    writeFileSync(path, content);
    const fixed = await vscode.workspace.openTextDocument(path);
    const shown = await vscode.window.showTextDocument(fixed);
    shown.selection = new vscode.Selection(0, content.length, 0, content.length);
    await vscode.commands.executeCommand('workbench.action.files.setActiveEditorReadonlyInSession');
    const generation = await generate();
    assert.strictEqual(generation.ending, 'refused', generation.sentence);
    assert.strictEqual(fixed.getText(), content);
  });

  const run = (name: string, ...given: unknown[]): Thenable<unknown> =>
    vscode.commands.executeCommand(`emberline.${name}`, ...given);

  test('has others, which take its place and are one undo step each', async () => {
    const { document } = await edit(FUNCTION);
    const before = document.getText();
    const first = before + (await generate()).text;
    await run('nextCandidate');
    const second = document.getText();
    assert.notStrictEqual(second, first);
    assert.ok(second.startsWith(before) && second.length > before.length, second);
    await run('nextCandidate');
    const third = document.getText();
    assert.ok(![first, second].includes(third) && third.startsWith(before), third);
    await run('nextCandidate');
    assert.strictEqual(document.getText(), third, 'there are three at most');
    await run('previousCandidate');
    assert.strictEqual(document.getText(), second);
    await run('previousCandidate');
    await run('previousCandidate');
    assert.strictEqual(document.getText(), first);
    await run('nextCandidate');
    assert.strictEqual(document.getText(), second);
    await changeBy('undo', document);
    assert.strictEqual(document.getText(), before);
    assert.strictEqual(api.status, 'ready');
  });

  test('has others for the rest of a line, with what they replace', async () => {
    const { document } = await edit('def area(width, height):\n    return max(|)\n');
    const before = document.getText();
    const first = before.replace('max(', `max(${(await generate()).text}`);
    await run('nextCandidate');
    assert.notStrictEqual(document.getText(), first);
    assert.match(document.getText(), /^def area\(width, height\):\n {4}return max\([^\n]+\n$/);
    await changeBy('undo', document);
    assert.strictEqual(document.getText(), before);
  });

  test('is made again, but otherwise; the one before stays beside it', async () => {
    const { document } = await edit(FUNCTION);
    const before = document.getText();
    const first = before + (await generate()).text;
    await run('editAgain', 'again, but with a docstring');
    const other = document.getText();
    assert.notStrictEqual(other, first);
    assert.ok(other.startsWith(before) && !other.includes('The same again'), other);
    await run('previousCandidate');
    assert.strictEqual(document.getText(), first);
    await changeBy('undo', document);
    assert.strictEqual(document.getText(), before);
  });

  test('stays where another one is cancelled', async () => {
    await set('emberline.generate.maxTokens', SOME_TOKENS);
    const { document } = await edit(NUMBERS);
    await generate();
    const first = document.getText();
    const looking = run('nextCandidate');
    await eventually(() => api.status === 'generating', 'the model writes another one');
    await stop();
    await looking;
    assert.strictEqual(document.getText(), first);
    await run('nextCandidate');
    assert.notStrictEqual(document.getText(), first);
  });

  test('has no others once the model is loaded anew, which may be another one with other tokens', async () => {
    const { document } = await edit(FUNCTION);
    await generate();
    const generated = document.getText();
    await run('restart');
    await run('nextCandidate');
    assert.strictEqual(document.getText(), generated);
  });

  test('stays where anything else was typed, whatever is asked then', async () => {
    const editor = await edit(FUNCTION);
    const { document } = editor;
    await generate();
    await insertInto(document, 0, '# typed\n');
    const typed = document.getText();
    for (const name of ['nextCandidate', 'previousCandidate']) await run(name);
    await run('editAgain', 'shorter');
    assert.strictEqual(document.getText(), typed);
  });

  test('stays where something is typed while another one is made', async () => {
    await set('emberline.generate.maxTokens', SOME_TOKENS);
    const { document } = await edit(NUMBERS);
    await generate();
    const looking = run('nextCandidate');
    await eventually(() => api.status === 'generating', 'the model writes another one');
    await insertInto(document, 0, '# typed\n');
    const typed = document.getText();
    await looking;
    assert.strictEqual(document.getText(), typed);
    assert.strictEqual(api.status, 'ready');
  });
});
