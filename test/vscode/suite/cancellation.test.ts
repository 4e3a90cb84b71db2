/** Edits at any moment: the running request ends at once, nothing stale is shown, and nothing is left behind. */
import * as assert from 'node:assert';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import { editsCancel, takeLong, takeNoLonger } from './cancelled_edits';
import { acceptGhostText, edit, moveTo, readyApi, set, showGhostText } from './workbench';

/** The deep tests make four times as many. */
const EDITS = 50;

suite('cancellation', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
    await takeLong();
  });
  suiteTeardown(takeNoLonger);

  test(`${EDITS} edits cancel what runs, and only the last version is completed`, () =>
    editsCancel(api, EDITS));

  test('the editor shows the suggestion of the last version only', async () => {
    await set('editor.inlineSuggest.enabled', true);
    const editor = await edit('def add(a, b):\n    return |');
    for (const character of 'a * ') {
      await vscode.commands.executeCommand('type', { text: character });
      moveTo(editor, editor.selection.active);
    }
    const before = editor.document.getText();
    assert.ok(before.endsWith('return a * '));
    const { outcome, version } = await showGhostText(api, editor);
    assert.strictEqual(version, editor.document.version);
    await acceptGhostText(editor);
    assert.strictEqual(editor.document.getText(), before + outcome.text);
  });

  test('a cancelled token ends the request', async () => {
    const editor = await edit('numbers = [1, 2, 3, 4, 5, 6, |');
    const cancellation = new vscode.CancellationTokenSource();
    const context = {
      triggerKind: vscode.InlineCompletionTriggerKind.Automatic,
      selectedCompletionInfo: undefined,
    };
    const position = editor.selection.active;
    const asked = api.provider.provideInlineCompletionItems(
      editor.document,
      position,
      context,
      cancellation.token,
    );
    cancellation.cancel();
    assert.deepStrictEqual(await asked, []);
    assert.strictEqual(api.last?.outcome.reason, 'cancelled');
    cancellation.dispose();
  });
});
