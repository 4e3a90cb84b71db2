/** Edits by instruction: shown before anything changes, made as one undo step, or not at all. */
import * as assert from 'node:assert';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import type { StructuredEdit } from '../../../extension/edit/structured_editor';
import { changeBy, closeEditors, edit, eventually, readyApi } from './workbench';

const ADD = 'function add(total, b) {\n  return total + b;\n}\n\nconst total = add(1, 2);|\n';
const POLL_MS = 50;

suite('structured edits', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
  });
  teardown(async () => {
    await vscode.commands.executeCommand('notifications.clearAll');
    await closeEditors();
  });

  function select(editor: vscode.TextEditor, first: number, last: number): void {
    editor.selection = new vscode.Selection(first, 0, last, editor.document.lineAt(last).text.length);
  }

  /** Asks for an edit and, once the model has written it, answers the preview with `command`. */
  async function ask(
    instruction: string,
    command: string | undefined,
    meanwhile: () => unknown = () => undefined,
    what = 'emberline.editSelection',
  ): Promise<StructuredEdit> {
    let result: StructuredEdit | undefined;
    let begun = false;
    const listener = api.onDidChangeStatus((status) => (begun ||= status === 'generating'));
    const asked = vscode.commands
      .executeCommand<StructuredEdit>(what, instruction)
      .then((done) => (result = done));
    await eventually(() => result !== undefined || (begun && api.status === 'ready'), 'the edit is written');
    listener.dispose();
    await meanwhile();
    // The preview may not be there yet when it is answered first.
    await eventually(
      () => result !== undefined,
      'the edit is decided on',
      async () => {
        if (command !== undefined) await vscode.commands.executeCommand(command);
        await delay(POLL_MS);
      },
    );
    return asked;
  }

  test('are previewed, made and undone', async () => {
    const editor = await edit(ADD, 'javascript');
    const before = editor.document.getText();
    select(editor, 0, 2);
    const seen: string[] = [];
    const done = await ask('rename total to first', 'emberline.applyEdit', () =>
      seen.push(editor.document.getText()),
    );
    assert.strictEqual(done.ending, 'applied', done.sentence);
    assert.deepStrictEqual(seen, [before]);
    assert.strictEqual(
      editor.document.getText(),
      before.replace('(total, b)', '(first, b)').replace('return total', 'return first'),
    );
    await changeBy('undo', editor.document);
    assert.strictEqual(editor.document.getText(), before);
  });

  test('leave all lines they do not change as they are', async () => {
    const editor = await edit(
      '\tconst größe = "😀";\n\treturn größe;\n// end, without a line break|',
      'javascript',
    );
    await editor.edit((builder) => builder.setEndOfLine(vscode.EndOfLine.CRLF));
    const before = editor.document.getText();
    select(editor, 1, 1);
    const done = await ask('rename größe to size', 'emberline.applyEdit');
    assert.strictEqual(done.ending, 'applied', done.sentence);
    assert.strictEqual(editor.document.getText(), before.replace('return größe', 'return size'));
  });

  test('are not made when the preview is discarded', async () => {
    const editor = await edit(ADD, 'javascript');
    const before = editor.document.getText();
    select(editor, 0, 2);
    const done = await ask('rename total to first', 'emberline.discardEdit');
    assert.strictEqual(done.ending, 'discarded', done.sentence);
    assert.strictEqual(editor.document.getText(), before);
  });

  test('leave a file open that is only looked at', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'emberline-looked-at-'));
    try {
      for (const command of ['emberline.discardEdit', 'emberline.applyEdit']) {
        const path = join(folder, `${command}.js`);
        writeFileSync(path, ADD.replace('|', ''));
        const document = await vscode.workspace.openTextDocument(path);
        // As by a click in the explorer: the next file that is looked at takes its place.
        const editor = await vscode.window.showTextDocument(document, { preview: true });
        select(editor, 0, 2);
        const done = await ask('rename total to first', command);
        assert.strictEqual(
          done.ending,
          command.endsWith('applyEdit') ? 'applied' : 'discarded',
          done.sentence,
        );
        const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
        assert.deepStrictEqual(
          tabs.map(({ input }) => input instanceof vscode.TabInputText && input.uri.fsPath),
          [document.uri.fsPath],
        );
        assert.ok(!document.isClosed);
      }
    } finally {
      await vscode.workspace.saveAll(false);
      await closeEditors();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('take the lines around the cursor where nothing is selected', async () => {
    const editor = await edit(ADD, 'javascript');
    const done = await ask('rename total to first', 'emberline.applyEdit');
    assert.strictEqual(done.ending, 'applied', done.sentence);
    assert.strictEqual(editor.document.lineAt(0).text, 'function add(total, b) {');
    assert.strictEqual(editor.document.lineAt(4).text, 'const first = add(1, 2);');
  });

  test('add lines at the cursor', async () => {
    const editor = await edit('import math\n\n|', 'python');
    const before = editor.document.getText();
    const done = await ask(
      'a function that adds two numbers',
      'emberline.applyEdit',
      undefined,
      'emberline.generateLines',
    );
    assert.strictEqual(done.ending, 'applied', done.sentence);
    assert.ok(editor.document.getText().startsWith('import math\n\n'));
    await changeBy('undo', editor.document);
    assert.strictEqual(editor.document.getText(), before);
  });

  test('are cancelled, and change nothing', async () => {
    const editor = await edit(ADD, 'javascript');
    const before = editor.document.getText();
    select(editor, 0, 4);
    const asked = vscode.commands.executeCommand<StructuredEdit>(
      'emberline.editSelection',
      'write many comments',
    );
    await eventually(() => api.status === 'generating', 'the model writes');
    await vscode.commands.executeCommand('emberline.stopGenerating');
    const done = await asked;
    assert.strictEqual(done.ending, 'cancelled', done.sentence);
    assert.strictEqual(editor.document.getText(), before);
    assert.strictEqual(api.status, 'ready');
  });

  test('are not made in a document that changed meanwhile', async () => {
    const editor = await edit(ADD, 'javascript');
    select(editor, 0, 2);
    const asked = vscode.commands.executeCommand<StructuredEdit>(
      'emberline.editSelection',
      'add a docstring',
    );
    await eventually(() => api.status === 'generating', 'the model writes');
    await editor.edit((builder) => builder.insert(new vscode.Position(4, 0), '// typed\n'));
    const done = await asked;
    assert.strictEqual(done.ending, 'document_changed', done.sentence);
    assert.match(
      editor.document.getText(),
      /^function add\(total, b\) \{\n {2}return total \+ b;\n\}\n\n\/\/ typed\n/,
    );
  });

  /** Of the diff view that is shown; undefined where none is. */
  function shown(): { readonly uri: vscode.Uri; readonly title: string } | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    if (!(tab?.input instanceof vscode.TabInputTextDiff)) return undefined;
    return { uri: tab.input.modified, title: tab.label };
  }

  /** Waits for a diff view whose title ends so, and returns the text on its right side. */
  async function candidate(titleEnd: string): Promise<string> {
    await eventually(
      () => shown()?.title.endsWith(titleEnd) === true && api.status === 'ready',
      `the view of ${titleEnd}; it is ${shown()?.title}`,
    );
    const uri = shown()?.uri;
    assert.ok(uri !== undefined);
    return (await vscode.workspace.openTextDocument(uri)).getText();
  }

  const run = (name: string, ...given: unknown[]): Thenable<unknown> =>
    vscode.commands.executeCommand(`emberline.${name}`, ...given);

  function begin(instruction: string): { readonly done: Thenable<StructuredEdit> } {
    return { done: vscode.commands.executeCommand<StructuredEdit>('emberline.editSelection', instruction) };
  }

  /** Types below HALF: what is proposed for it is not made. */
  async function endsWhereTyped(
    { document }: vscode.TextEditor,
    done: Thenable<StructuredEdit>,
  ): Promise<void> {
    const typed = new vscode.WorkspaceEdit();
    typed.insert(document.uri, new vscode.Position(2, 0), '# typed\n');
    await vscode.workspace.applyEdit(typed);
    assert.strictEqual((await done).ending, 'document_changed');
    assert.strictEqual(document.getText(), 'def half(number):\n    return number / 2\n# typed\n');
    assert.strictEqual(shown(), undefined);
  }

  const HALF = 'def half(number):\n    return number / 2\n|';

  test('have others, which are looked through in the diff view, and one is made', async () => {
    const editor = await edit(HALF);
    const before = editor.document.getText();
    select(editor, 0, 1);
    const { done } = begin('add a docstring');
    const first = await candidate('add a docstring');
    await run('nextCandidate');
    const second = await candidate('(2 of 2)');
    await run('previousCandidate');
    assert.strictEqual(await candidate('(1 of 2)'), first);
    await run('nextCandidate');
    assert.strictEqual(await candidate('(2 of 2)'), second);
    assert.notStrictEqual(second, first);
    assert.notStrictEqual(second, before);
    assert.strictEqual(editor.document.getText(), before);
    const diffs = (): readonly vscode.Tab[] =>
      vscode.window.tabGroups.all.flatMap(({ tabs }) =>
        tabs.filter(({ input }) => input instanceof vscode.TabInputTextDiff),
      );
    // The one before is closed once the next one is there.
    await eventually(() => diffs().length === 1, 'one edit is shown');
    await run('applyEdit');
    assert.strictEqual((await done).ending, 'applied');
    assert.strictEqual(editor.document.getText(), second);
    assert.strictEqual(shown(), undefined);
    await vscode.window.showTextDocument(editor.document);
    await changeBy('undo', editor.document);
    assert.strictEqual(editor.document.getText(), before);
  });

  test('are made again, but otherwise; the one before stays beside it', async () => {
    const editor = await edit(HALF);
    const before = editor.document.getText();
    select(editor, 0, 1);
    const { done } = begin('rename number to value');
    const first = await candidate('rename number to value');
    await run('editAgain', 'again, but rename number to amount');
    const other = await candidate('rename number to amount (2 of 2)');
    assert.strictEqual(other, before.replaceAll('number', 'amount'));
    await run('previousCandidate');
    assert.strictEqual(await candidate('rename number to value (1 of 2)'), first);
    await run('nextCandidate');
    await candidate('(2 of 2)');
    await run('applyEdit');
    assert.strictEqual((await done).ending, 'applied');
    assert.strictEqual(editor.document.getText(), other);
  });

  test('are discarded while another one is made', async () => {
    const editor = await edit(HALF);
    const before = editor.document.getText();
    select(editor, 0, 1);
    const { done } = begin('add a docstring');
    await candidate('add a docstring');
    await run('nextCandidate');
    await eventually(() => api.status === 'generating', 'the model writes another one');
    await run('discardEdit');
    assert.strictEqual((await done).ending, 'discarded');
    assert.strictEqual(editor.document.getText(), before);
    assert.strictEqual(api.status, 'ready');
    assert.strictEqual(shown(), undefined);
  });

  test('stay where another one is cancelled', async () => {
    const editor = await edit(HALF);
    select(editor, 0, 1);
    const { done } = begin('add a docstring');
    const first = await candidate('add a docstring');
    await run('nextCandidate');
    await eventually(() => api.status === 'generating', 'the model writes another one');
    await run('stopGenerating');
    assert.strictEqual(await candidate('add a docstring'), first);
    await run('applyEdit');
    assert.strictEqual((await done).ending, 'applied');
    assert.strictEqual(editor.document.getText(), first);
  });

  test('are not made where the document changes while another one is', async () => {
    const editor = await edit(HALF);
    select(editor, 0, 1);
    const { done } = begin('add a docstring');
    await candidate('add a docstring');
    await run('nextCandidate');
    await eventually(() => api.status === 'generating', 'the model writes another one');
    await endsWhereTyped(editor, done);
  });

  test('are not made where the document changes while one is shown', async () => {
    const editor = await edit(HALF);
    select(editor, 0, 1);
    const { done } = begin('add a docstring');
    await candidate('add a docstring');
    await endsWhereTyped(editor, done);
  });

  test('say what cannot be done', async () => {
    const editor = await edit(ADD, 'javascript');
    select(editor, 0, 2);
    assert.strictEqual((await ask('rename nowhere to there', undefined)).ending, 'no_such_name');
    await closeEditors();
    assert.strictEqual((await ask('rename a to b', undefined)).ending, 'no_editor');
  });
});
