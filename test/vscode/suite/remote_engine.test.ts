/** Ghost text of a remote engine, for which a server on this machine stands in: shown, cancelled, and from this machine where it is late or gone. */
import * as assert from 'node:assert';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import {
  type Asked as AskedOfServer,
  MODEL,
  type Say,
  type StandIn,
  startStandIn,
} from '../../remote/stand_in_server';
import { filesWith } from './files_with';
import {
  ask,
  changeBy,
  closeEditors,
  edit,
  eventually,
  place,
  readyApi,
  set,
  showGhostText,
} from './workbench';

const ADD = 'def add(a, b):\n    return |\n\n\nprint(add(1, 2))\n';
const KEY = 'planted-key-of-the-remote-engine';
const FAR = 'a + b  # from afar';

interface Ending {
  readonly kind: string;
  readonly error?: { readonly code: string };
}

suite('a remote engine', () => {
  let api: EmberlineApi;
  let server: StandIn;
  const lines: string[] = [];
  let listener: vscode.Disposable;
  const says: Say = { tokens: [' a', ' +', ' b  # from afar'], stop: 'word' };

  suiteSetup(async () => {
    api = await readyApi();
    listener = api.onDidLog((line) => lines.push(line));
    server = await startStandIn('vllm');
    server.key = KEY;
    server.say = () => says;
    // A busy machine is not to make it late.
    await set('emberline.remote.timeout', 30_000);
    await set('emberline.completion.readAhead', false);
  });
  suiteTeardown(async () => {
    await vscode.commands.executeCommand('emberline.setRemoteKey', '');
    await vscode.commands.executeCommand('emberline.useLocalEngine');
    await set('emberline.remote.timeout', undefined);
    await set('emberline.completion.readAhead', undefined);
    await vscode.commands.executeCommand('notifications.clearAll');
    listener.dispose();
    await server.stop();
  });
  teardown(closeEditors);

  const choose = (given: object): Thenable<Ending> =>
    vscode.commands.executeCommand('emberline.useRemoteEngine', given);
  const url = (): unknown =>
    vscode.workspace.getConfiguration('emberline').inspect('remote.url')?.globalValue;
  const isPreview = ({ uri }: vscode.TextDocument): boolean => uri.scheme === 'emberline-remote';
  const isShown = (): boolean => vscode.window.visibleTextEditors.some(({ document }) => isPreview(document));
  const sent = (): AskedOfServer | undefined => server.asked.at(-1);

  /** Answers the question that stands before the text of what is sent. */
  async function answer(ending: Thenable<Ending>, yes: boolean): Promise<Ending> {
    let ended = false;
    void ending.then(() => (ended = true));
    await eventually(isShown, 'what is sent is shown');
    await eventually(() => {
      // The list may not be there yet, or come between the two: then the answer is no.
      if (!ended && yes) void vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
      if (!ended) void vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return ended;
    }, 'the question is answered');
    return ending;
  }

  test('is asked nothing of a document before the user has seen what is sent', async () => {
    await edit(ADD);
    assert.strictEqual((await answer(choose({ url: server.url, key: KEY }), false)).kind, 'none');
    assert.strictEqual(url(), undefined);
    assert.deepStrictEqual(server.asked, []);
    // Nor where somebody wrote its address into the settings.
    await set('emberline.remote.url', server.url);
    await eventually(() => api.tooltip.includes('before you have seen what'), 'the tooltip says so');
    const { request } = await ask(api, await place(ADD));
    assert.ok(request.outcome.remote !== true);
    assert.deepStrictEqual(server.asked, []);
    await set('emberline.remote.url', undefined);
  });

  test('is refused with a key that it does not accept', async () => {
    const ending = await choose({ url: server.url, key: 'wrong' });
    assert.deepStrictEqual([ending.kind, ending.error?.code], ['failed', 'REMOTE_KEY']);
    assert.strictEqual(url(), undefined);
  });

  test('is shown what it is sent, word for word, and chosen', async () => {
    const editor = await edit(ADD);
    const ending = choose({ url: server.url, key: KEY });
    await eventually(isShown, 'what is sent is shown');
    const text = vscode.workspace.textDocuments.find(isPreview)?.getText() ?? '';
    assert.ok(text.includes('def add(a, b):') && text.includes(`POST ${server.url}/v1/completions`), text);
    assert.ok(!text.includes(KEY));
    let last = await answer(ending, true);
    for (let time = 0; time < 20 && last.kind === 'none'; time++)
      last = await answer(choose({ url: server.url, key: KEY }), true);
    assert.strictEqual(last.kind, 'chosen');
    assert.strictEqual(url(), server.url);
    await eventually(() => api.tooltip.includes(`${MODEL} on 127.0.0.1`), 'the tooltip names it');
    await vscode.window.showTextDocument(editor.document);
  });

  test('makes the ghost text that is on the screen', async () => {
    await set('editor.inlineSuggest.enabled', true);
    const editor = await edit(ADD);
    const { outcome } = await showGhostText(api, editor);
    assert.strictEqual(outcome.text, FAR);
    assert.strictEqual(outcome.remote, true);
    const prompt = String(sent()?.body['prompt']);
    assert.ok(prompt.startsWith('<|fim_prefix|>') && prompt.includes('print(add(1, 2))'), prompt);
    assert.strictEqual(sent()?.headers.authorization, `Bearer ${KEY}`);
  });

  test('sees that nobody waits any more when the text is edited', async () => {
    const editor = await edit(ADD.replace('add', 'sum_of'));
    const before = server.asked.length;
    server.say = () => ({ tokens: [' a'], hold: true });
    const asked = ask(api, { document: editor.document, position: editor.selection.active });
    await eventually(() => server.asked.length > before, 'the server is asked');
    const open = server.asked[before];
    await changeBy('deleteLeft', editor.document);
    await open?.closed;
    assert.deepStrictEqual((await asked).items, []);
    server.say = () => says;
  });

  test('gives way to this machine where it is late, and the status bar says why', async () => {
    await set('emberline.remote.timeout', 300);
    await eventually(() => api.tooltip.includes(MODEL), 'the new limit counts');
    server.say = () => ({ tokens: [], hold: true });
    const { request } = await ask(api, await place(ADD.replace('add', 'plus')));
    assert.strictEqual(request.outcome.source, 'model');
    assert.ok(request.outcome.remote !== true);
    assert.match(api.tooltip, /This machine answers: .* did not answer within 300 ms/);
    await sent()?.closed;
    await set('emberline.remote.timeout', 30_000);
  });

  test('gives way to this machine where it breaks off in the middle', async () => {
    await eventually(() => api.tooltip.includes(MODEL), 'it is asked again');
    server.say = () => ({ tokens: [' a'], dies: true });
    const { request } = await ask(api, await place(ADD.replace('add', 'minus')));
    assert.strictEqual(request.outcome.source, 'model');
    assert.ok(request.outcome.remote !== true);
    assert.match(api.tooltip, /This machine answers: .* cannot be used/);
    server.say = () => says;
  });

  test('is sent nothing of files that are left alone', async () => {
    await set('emberline.remote.timeout', 29_000);
    await eventually(() => api.tooltip.includes(`${MODEL} on`), 'it is asked again');
    const before = server.asked.length;
    const uri = vscode.Uri.parse('untitled:secrets/.env');
    const document = await vscode.workspace.openTextDocument(uri);
    const change = new vscode.WorkspaceEdit();
    change.insert(uri, new vscode.Position(0, 0), 'PASSWORD=');
    await vscode.workspace.applyEdit(change);
    const { request } = await ask(api, { document, position: new vscode.Position(0, 9) });
    assert.strictEqual(request.outcome.reason, 'excluded_file');
    assert.strictEqual(server.asked.length, before);
  });

  test('writes several lines', async () => {
    server.say = () => ({ tokens: [' a', ' - b\n', '\n'], stop: 'eos' });
    const editor = await edit('def minus(a, b):\n    return|');
    const { ending, text } = await vscode.commands.executeCommand<{ ending: string; text: string }>(
      'emberline.generate',
    );
    assert.deepStrictEqual([ending, text], ['finished', ' a - b']);
    assert.ok(editor.document.getText().endsWith('return a - b'));
    server.say = () => says;
  });

  test('is left for this machine, and its key is in no log and no setting', async () => {
    await vscode.commands.executeCommand('emberline.useLocalEngine');
    const before = server.asked.length;
    const { request } = await ask(api, await place(ADD.replace('add', 'times')));
    assert.ok(request.outcome.source === 'model' && request.outcome.remote !== true);
    assert.strictEqual(server.asked.length, before);
    assert.strictEqual(url(), undefined);
    assert.ok(
      lines.some((line) => line.includes('elsewhere')),
      'the log says what came from elsewhere',
    );
    assert.deepStrictEqual(
      lines.filter((line) => line.includes(KEY)),
      [],
    );
    assert.ok(!JSON.stringify(vscode.workspace.getConfiguration('emberline')).includes(KEY));
    const logs = process.env['EMBERLINE_TEST_LOGS'] ?? assert.fail('nobody says where the logs are');
    // What writes them is not built in the editor in the browser; a desktop has files here.
    assert.deepStrictEqual(filesWith(logs, KEY), []);
  });
});
