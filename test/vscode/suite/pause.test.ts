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

suite('a pause', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
  });
  teardown(async () => {
    await vscode.commands.executeCommand('emberline.resume');
    await set('emberline.enable', undefined);
    await closeEditors();
    await eventually(() => api.status === 'ready', 'the status is ready again');
  });

  test('keeps everything back, says until when, and ends on a click', async () => {
    const before = Date.now();
    await vscode.commands.executeCommand('emberline.pause', 'fiveMinutes');
    assert.strictEqual(api.status, 'paused');
    const until = api.pausedUntil ?? 0;
    assert.ok(until >= before + 300_000 && until <= Date.now() + 300_000);
    const clock = new Date(until).toLocaleTimeString(vscode.env.language, {
      hour: '2-digit',
      minute: '2-digit',
    });
    assert.ok(api.tooltip.includes(clock), api.tooltip);
    for (const kind of [
      vscode.InlineCompletionTriggerKind.Automatic,
      vscode.InlineCompletionTriggerKind.Invoke,
    ]) {
      const { request, items } = await ask(api, await place(ADD), undefined, kind);
      assert.strictEqual(request.outcome.reason, 'paused');
      assert.deepStrictEqual(items, []);
    }
    assert.strictEqual(await vscode.commands.executeCommand('emberline.explain'), REASONS.paused);
    // What the status bar item runs.
    await vscode.commands.executeCommand('emberline.resume');
    assert.strictEqual(api.status, 'ready');
    assert.strictEqual(api.pausedUntil, undefined);
    const { request } = await ask(api, await place(ADD));
    assert.strictEqual(request.outcome.source, 'model');
  });

  test('is no setting, and ends with the window', async () => {
    await vscode.commands.executeCommand('emberline.pause', 'untilRestart');
    assert.strictEqual(api.pausedUntil, Infinity);
    const { globalValue, workspaceValue } =
      vscode.workspace.getConfiguration('emberline').inspect('enable') ?? {};
    assert.deepStrictEqual([globalValue, workspaceValue], [undefined, undefined]);
  });

  test('takes what is shown away', async () => {
    const editor = await edit('numbers = [1, 2, 3, 4,|');
    await showGhostText(api, editor);
    // What is left of it is drawn from then on.
    await acceptGhostText(editor, 'editor.action.inlineSuggest.acceptNextWord');
    await vscode.commands.executeCommand('emberline.pause', 'hour');
    const { version } = editor.document;
    await vscode.commands.executeCommand('editor.action.inlineSuggest.commit');
    assert.strictEqual(editor.document.version, version);
  });

  test('is over where suggestions are turned off altogether', async () => {
    await vscode.commands.executeCommand('emberline.pause', 'hour');
    await vscode.commands.executeCommand('emberline.disable');
    await eventually(() => api.status === 'off', 'the status is off');
    const { request } = await ask(api, await place(ADD));
    assert.strictEqual(request.outcome.reason, 'disabled');
    await vscode.commands.executeCommand('emberline.enable');
    await eventually(() => api.pausedUntil === undefined, 'whoever turns it on has it on');
  });
});
