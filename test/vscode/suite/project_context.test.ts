/** What the model reads of the project beside the document, and that nobody waits for it. */
import * as assert from 'node:assert';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import {
  ask,
  closeEditors,
  edit,
  eventually,
  moveTo,
  type Place,
  readyApi,
  set,
  workspaceFolder,
} from './workbench';

const { Automatic, Invoke } = vscode.InlineCompletionTriggerKind;

const PRICES = `def total_price(order, discount, tax):
    return order.price - discount + tax
`;
const ORDER = `from prices import total_price

order = read_order()
price = total_price(order, `;

suite('the project around a document', () => {
  let api: EmberlineApi;
  let folder: vscode.Uri;

  suiteSetup(async () => {
    api = await readyApi();
    folder = vscode.Uri.joinPath(workspaceFolder(), 'project-context');
    await write('prices.py', PRICES);
    await write('order.py', ORDER);
    // Where other programs keep a machine busy, prompts that follow its speed have no room for what stands beside a document.
    await set('emberline.completion.promptTokens', 512);
  });
  suiteTeardown(async () => {
    await set('emberline.completion.promptTokens', undefined);
    await vscode.workspace.fs.delete(folder, { recursive: true });
  });
  teardown(async () => {
    for (const name of ['definitions', 'recentEdits', 'clipboard'])
      await set(`emberline.completion.${name}`, undefined);
    await closeEditors();
  });

  async function write(name: string, text: string): Promise<void> {
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, name), Buffer.from(text));
  }

  async function tokensAt(place: Place, triggerKind = Automatic): Promise<number> {
    const { request } = await ask(api, place, undefined, triggerKind);
    assert.strictEqual(request.outcome.source, 'model');
    return request.outcome.timings.promptTokens;
  }

  test('is read as far as imports lead, whether or not a language service answers', async () => {
    let asked = 0;
    const never = vscode.languages.registerDefinitionProvider('python', {
      provideDefinition: () => {
        asked++;
        return new Promise<never>(() => undefined);
      },
    });
    const followed: string[] = [];
    const listener = api.onDidFollowImports((uri) => followed.push(uri));
    try {
      await set('emberline.completion.definitions', 'never');
      await write('order.py', `from elsewhere import thing\n${ORDER}`);
      const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder, 'order.py'));
      const editor = await vscode.window.showTextDocument(document);
      const position = document.lineAt(document.lineCount - 1).range.end;
      moveTo(editor, position);
      const alone = await tokensAt({ document, position });
      await set('emberline.completion.definitions', 'always');
      await eventually(() => asked > 0, 'the service is asked');
      // It has not answered, and never does.
      assert.deepStrictEqual(followed, []);
      const beside = await tokensAt({ document, position });
      assert.ok(beside > alone + 8, `${beside} tokens with a definition, ${alone} without`);
      await eventually(() => followed.length > 0, 'the service is waited for no longer');
      assert.strictEqual(asked, 1);
    } finally {
      listener.dispose();
      never.dispose();
    }
  });

  test('is read as it was before an edit, where that is wanted', async () => {
    await set('emberline.completion.recentEdits', true);
    const { document: edited } = await edit('a = 1\nprice = 2\nb = 3\n|');
    const change = new vscode.WorkspaceEdit();
    change.replace(edited.uri, new vscode.Range(1, 0, 1, 5), 'total_price');
    assert.ok(await vscode.workspace.applyEdit(change));
    const { document, selection } = await edit('# Prices.\nx = |');
    const place = { document, position: selection.active };
    const beside = await tokensAt(place);
    await set('emberline.completion.recentEdits', false);
    const alone = await tokensAt(place);
    assert.ok(beside > alone + 8, `${beside} tokens with an edit, ${alone} without`);
  });

  test('has the clipboard where somebody asks, once that is allowed', async () => {
    await vscode.env.clipboard.writeText('def copied_function(first, second):\n    return first + second\n');
    const { document, selection } = await edit('# Sums.\nx = |');
    const place = { document, position: selection.active };
    const alone = await tokensAt(place, Invoke);
    await set('emberline.completion.clipboard', true);
    const unasked = await tokensAt(place);
    assert.strictEqual(unasked, alone);
    const beside = await tokensAt(place, Invoke);
    assert.ok(beside > alone + 8, `${beside} tokens with the clipboard, ${alone} without`);
  });
});
