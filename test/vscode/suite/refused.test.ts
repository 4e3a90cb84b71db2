/** What was just deleted or dismissed is not offered again at that place, but to who asks for it. (Undone: ghost_text.test.ts.) */
import * as assert from 'node:assert';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import {
  type Asked,
  ask,
  changeBy,
  closeEditors,
  edit,
  eventually,
  readyApi,
  set,
  showGhostText,
} from './workbench';

const ADD = 'def add(a, b):\n    return |\n\n\nprint(add(1, 2))\n';

suite('what was refused', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
    await set('emberline.completion.similarCode', 'never');
  });
  suiteTeardown(() => set('emberline.completion.similarCode', undefined));
  teardown(closeEditors);

  /** Asks at the cursor until whatever the editor asked meanwhile is over. */
  async function askAt(
    { document, selection }: vscode.TextEditor,
    kind = vscode.InlineCompletionTriggerKind.Automatic,
  ): Promise<Asked> {
    await eventually(() => api.pending === 0, 'nothing is asked');
    return ask(api, { document, position: selection.active }, undefined, kind);
  }

  async function isNotOffered(editor: vscode.TextEditor): Promise<void> {
    const asked = await askAt(editor);
    assert.deepStrictEqual(asked.items, []);
    assert.strictEqual(asked.request.outcome.reason, 'taken_back');
    const { items } = await askAt(editor, vscode.InlineCompletionTriggerKind.Invoke);
    assert.ok(items.length > 0);
  }

  test('is not offered where it was dismissed', async () => {
    const editor = await edit(ADD);
    const before = editor.document.getText();
    await showGhostText(api, editor);
    await vscode.commands.executeCommand('emberline.dismiss');
    await isNotOffered(editor);
    assert.strictEqual(editor.document.getText(), before);
  });

  test('is not offered where it was deleted key by key', async () => {
    const editor = await edit(ADD);
    const before = editor.document.getText();
    const { outcome } = await showGhostText(api, editor);
    // Not accepted: written by hand, so that nothing is known of it but that it goes.
    const other = await edit(ADD.replace('|', `${outcome.text}|`));
    assert.notStrictEqual(other.document, editor.document);
    while (other.document.getText() !== before) await changeBy('deleteLeft', other.document);
    await isNotOffered(other);
  });

  test('is offered where another text was deleted', async () => {
    const editor = await edit(ADD.replace('|', 'nonsense|'));
    await changeBy('deleteWordLeft', editor.document);
    assert.strictEqual(editor.document.getText(), ADD.replace('|', ''));
    const asked = await askAt(editor);
    assert.strictEqual(asked.request.outcome.reason, 'shown');
  });
});
