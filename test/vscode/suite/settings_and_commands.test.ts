import * as assert from 'node:assert';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import { REASONS } from '../../../core/completion/reasons';
import {
  acceptGhostText,
  ask,
  closeEditors,
  edit,
  eventually,
  place,
  readyApi,
  set,
  showGhostText,
} from './workbench';

const ADD = 'def add(a, b):\n    return |';

suite('settings and commands', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
  });
  teardown(async () => {
    await set('emberline.enable', undefined);
    await set('emberline.languages', undefined);
    await set('emberline.excludedFiles', undefined);
    await set('emberline.completion.minimumConfidence', undefined);
    await set('emberline.completion.maxTokens', undefined);
    await closeEditors();
    await eventually(() => api.status === 'ready', 'the status is ready again');
  });

  test('turns off and on, globally', async () => {
    await vscode.commands.executeCommand('emberline.disable');
    await eventually(() => api.status === 'off', 'the status is off');
    const off = await ask(api, await place(ADD));
    assert.strictEqual(off.request.outcome.reason, 'disabled');
    assert.deepStrictEqual(off.items, []);
    await vscode.commands.executeCommand('emberline.enable');
    await eventually(() => api.status === 'ready', 'the status is ready');
  });

  test('turns off and on for the language of the active editor', async () => {
    const editor = await edit(ADD);
    await vscode.commands.executeCommand('emberline.toggleLanguage');
    await eventually(() => api.status === 'off', 'the status is off');
    const off = await ask(api, { document: editor.document, position: editor.selection.active });
    assert.strictEqual(off.request.outcome.reason, 'disabled_for_language');
    const other = await ask(api, await place('const x = |', 'javascript'));
    assert.notStrictEqual(other.request.outcome.reason, 'disabled_for_language');
    await vscode.commands.executeCommand('emberline.toggleLanguage');
    await eventually(() => api.status === 'ready', 'the status is ready');
  });

  for (const command of ['disable', 'toggleLanguage']) {
    test(`takes what is shown away: ${command}`, async () => {
      const editor = await edit('numbers = [1, 2, 3, 4,|');
      await showGhostText(api, editor);
      // What is left of it is drawn from then on.
      await acceptGhostText(editor, 'editor.action.inlineSuggest.acceptNextWord');
      await vscode.commands.executeCommand(`emberline.${command}`);
      const { version } = editor.document;
      await vscode.commands.executeCommand('editor.action.inlineSuggest.commit');
      assert.strictEqual(editor.document.version, version);
    });
  }

  test('ends what waits to be asked where suggestions are turned off meanwhile', async () => {
    await set('emberline.completion.delay', 2_000);
    const at = await place(ADD);
    const asked = ask(api, at);
    await eventually(() => api.pending > 0, 'it is asked');
    await vscode.commands.executeCommand('emberline.disable');
    const { request } = await asked;
    await set('emberline.completion.delay', undefined);
    assert.ok(!request.outcome.shown, request.outcome.reason);
  });

  test('hides what the model is not sure of, and says so', async () => {
    await set('emberline.completion.minimumConfidence', 1);
    const { request } = await ask(api, await place('def add(a, b):\n    return |'));
    assert.strictEqual(request.outcome.reason, 'low_confidence');
    assert.notStrictEqual(request.outcome.text, '');
    assert.strictEqual(await vscode.commands.executeCommand('emberline.explain'), REASONS.low_confidence);
  });

  test('leaves files alone because of any folder they are in', async () => {
    await set('emberline.excludedFiles', ['**/vault/**']);
    const uri = vscode.Uri.parse('untitled:/srv/vault/a/b/c/x.py');
    const document = await vscode.workspace.openTextDocument(uri);
    const { request } = await ask(api, { document, position: new vscode.Position(0, 0) });
    assert.strictEqual(request.outcome.reason, 'excluded_file');
  });

  test('obeys the limit of tokens', async () => {
    await set('emberline.completion.maxTokens', 2);
    const { request } = await ask(api, await place('numbers = [1, 2, 3, 4,|'));
    assert.strictEqual(request.outcome.stop, 'max_tokens');
    assert.ok(request.outcome.text.length < 24);
  });

  test('explains why nothing was suggested', async () => {
    await ask(api, await place('val|ue'));
    assert.strictEqual(await vscode.commands.executeCommand('emberline.explain'), REASONS.inside_word);
  });

  test('leaves output panels alone', async () => {
    await vscode.commands.executeCommand('emberline.showLog');
    const output = (): vscode.TextDocument | undefined =>
      vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'output');
    await eventually(() => output() !== undefined, 'the log is open');
    const document = output();
    assert.ok(document);
    const { request } = await ask(api, { document, position: document.positionAt(0) });
    assert.ok(!request.outcome.shown && request.outcome.source === 'none', request.outcome.reason);
    await vscode.commands.executeCommand('workbench.action.closePanel');
  });

  test('opens the settings', async () => {
    await vscode.commands.executeCommand('emberline.openSettings');
    const shown = (): string | undefined => vscode.window.tabGroups.activeTabGroup.activeTab?.label;
    await eventually(() => shown() === 'Settings', 'the settings are open');
  });

  test('restarts the engine', async () => {
    await vscode.commands.executeCommand('emberline.restart');
    assert.strictEqual(api.status, 'ready');
    const { request } = await ask(api, await place(ADD));
    assert.strictEqual(request.outcome.source, 'model');
  });
});
