import * as assert from 'node:assert';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import type { CompletionOutcome } from '../../../core/completion/outcome';
import {
  acceptGhostText,
  type Asked,
  ask,
  changeBy,
  closeEditors,
  edit,
  eventually,
  moveTo,
  type Place,
  place,
  readyApi,
  set,
  showGhostText,
  withItem,
} from './workbench';

/** What its constructor has to say follows from its signature. */
const BOX = `class Box:
    def __init__(self, width, height, depth):|

    def volume(self):
        return self.width * self.height * self.depth
`;
const IN_BODY = BOX.replace('|', '\n        |');
/** The same with braces. */
const POINT = 'class Point {\n  constructor(x, y, z) {|\n  }\n}\n';
const SETS_ALL = '\n    this.x = x;\n    this.y = y;\n    this.z = z;';
const SETS_WIDTH = /^\s*self\.width = width$/m;

/** The first line comes alone where the others are not known; then all of them. */
async function wholeGhostText(api: EmberlineApi): Promise<CompletionOutcome> {
  await eventually(() => api.last?.outcome.goesOn === false, 'all lines are shown');
  const outcome = api.last?.outcome;
  assert.ok(outcome?.shown);
  return outcome;
}

/** Rounds without another line after which there are no more: one may be cut short by what the editor asks itself. */
const LAST_ROUNDS = 4;

/** As `ask`, once all lines are known: on a busy machine each round has some more. */
async function askForAll(api: EmberlineApi, at: Place): Promise<Asked> {
  let asked = await ask(api, at);
  for (let same = 0; same < LAST_ROUNDS;) {
    await eventually(() => api.pending === 0, 'all lines are made');
    const again = await ask(api, at);
    same = again.request.outcome.text === asked.request.outcome.text ? same + 1 : 0;
    asked = again;
  }
  return asked;
}

suite('several lines', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
    // What one test shows is not to be read in the next.
    await set('emberline.completion.similarCode', 'never');
    // How several lines behave is asked here, not how sure the model is of these.
    await set('emberline.completion.eagerness', 'eager');
    // What is drawn follows the document's name, in which the editor counts.
    await set('emberline.sampling.temperature', 0);
  });
  suiteTeardown(async () => {
    await set('emberline.sampling.temperature', undefined);
    await set('emberline.completion.similarCode', undefined);
    await set('emberline.completion.eagerness', undefined);
  });
  teardown(async () => {
    await set('emberline.completion.multiline', undefined);
    await closeEditors();
  });

  for (const [lineBreaks, endOfLine] of [
    ['\\n', vscode.EndOfLine.LF],
    ['\\r\\n', vscode.EndOfLine.CRLF],
  ] as const) {
    test(`are one suggestion where a body begins, and one undo, with ${lineBreaks}`, async () => {
      const editor = await edit(IN_BODY);
      const { document } = editor;
      const cursor = editor.selection.active;
      await editor.edit((builder) => builder.setEndOfLine(endOfLine));
      moveTo(editor, cursor);
      const before = document.getText();
      const offset = document.offsetAt(cursor);
      assert.match((await showGhostText(api, editor)).outcome.text, SETS_WIDTH);
      const outcome = await wholeGhostText(api);
      assert.match(outcome.text, /\n {8}self\.height = height/);
      await acceptGhostText(editor);
      const written = outcome.text.replaceAll('\n', endOfLine === vscode.EndOfLine.CRLF ? '\r\n' : '\n');
      assert.strictEqual(document.getText(), before.slice(0, offset) + written + before.slice(offset));
      await changeBy('undo', document);
      assert.strictEqual(document.getText(), before);
    });
  }

  test('follow a line that is complete, from its end', async () => {
    const at = await place(BOX);
    const { items, request } = await ask(api, at);
    assert.match(request.outcome.text, /^\n {8}self\.width = width/);
    assert.strictEqual(items.length, 1);
    const { range } = items[0] ?? {};
    assert.ok(range?.isEmpty === true && range.start.isEqual(at.position));
    assert.ok((request.outcome.further?.length ?? 0) > 0);
  });

  for (const [name, content, lines] of [
    ['an open brace', POINT, SETS_ALL],
    [
      'a comment above that asks',
      POINT.replace('|', '\n    // Keep x, y and z.\n    |'),
      SETS_ALL.trimStart(),
    ],
    ['the end of a comment that asks', POINT.replace('|', '\n    // Keep x, y and z.|'), SETS_ALL],
  ] as const) {
    test(`are a block behind ${name}, to its end and no further`, async () => {
      const at = await place(content, 'javascript');
      const { items, request } = await askForAll(api, at);
      assert.strictEqual(items.length, 1, request.outcome.reason);
      const text = withItem(at, items[0]);
      assert.strictEqual(text, content.replace('|', lines));
      const editor = await edit(content, 'javascript');
      await showGhostText(api, editor);
      await eventually(() => api.last?.outcome.text === lines, 'all lines are shown');
      await acceptGhostText(editor);
      assert.strictEqual(editor.document.getText(), text);
    });
  }

  test('go on in a block behind a line of it that was accepted', async () => {
    const { document, position } = await place(POINT.replace('|', '\n    |'), 'javascript');
    const typed = await place(POINT.replace('|', '\n    this.x = x;|'), 'javascript');
    const editor = await vscode.window.showTextDocument(document);
    const { text } = (await askForAll(api, { document, position })).request.outcome;
    const [first = ''] = text.split('\n');
    assert.strictEqual(first, 'this.x = x;');
    await editor.edit((builder) => builder.insert(position, first));
    const next = await askForAll(api, { document, position: position.translate(0, first.length) });
    assert.strictEqual(next.request.outcome.text, SETS_ALL.replace(/^\n.*/, ''));
    // Who wrote it himself has the next line alone.
    const one = await askForAll(api, typed);
    assert.strictEqual(one.request.outcome.text, '\n    this.y = y;');
  });

  for (const [multiline, within, behind] of [
    ['auto', 'x;', '\n    this.y = y;'],
    ['never', 'x;', ''],
    ['always', 'x;\n    this.y = y;\n    this.z = z;', '\n    this.y = y;\n    this.z = z;'],
  ] as const) {
    test(`are as many as the setting says: ${multiline}`, async () => {
      await set('emberline.completion.multiline', multiline);
      const body = POINT.replace('|', '\n    this.x = |');
      const at = await place(body, 'javascript');
      assert.strictEqual(withItem(at, (await askForAll(api, at)).items[0]), body.replace('|', within));
      const complete = await askForAll(api, await place(body.replace('|', 'x;|'), 'javascript'));
      assert.strictEqual(complete.items.length === 0 ? '' : complete.request.outcome.text, behind);
    });
  }

  test('are remembered line by line: whoever types along sees the rest without a model call', async () => {
    const { document, position } = await place(POINT.replace('|', '\n    |'), 'javascript');
    const editor = await vscode.window.showTextDocument(document);
    const { outcome } = (await askForAll(api, { document, position })).request;
    const [first = '', second = ''] = outcome.text.split('\n');
    assert.notStrictEqual(second, '', outcome.text);
    await editor.edit((builder) => builder.insert(position, first));
    const calls = api.counters.modelCalls;
    const { request } = await ask(api, { document, position: position.translate(0, first.length) });
    assert.strictEqual(request.outcome.source, 'cache');
    assert.strictEqual(api.counters.modelCalls, calls);
    assert.strictEqual(request.outcome.text.split('\n')[1], second);
    assert.ok(request.outcome.shown);
  });

  test('are one where the setting says never', async () => {
    await set('emberline.completion.multiline', 'never');
    const body = await ask(api, await place(IN_BODY));
    assert.ok(!body.request.outcome.text.includes('\n'));
    const complete = await ask(api, await place(BOX));
    assert.deepStrictEqual(complete.items, []);
    assert.strictEqual(complete.request.outcome.reason, 'line_complete');
  });

  test('are computed ahead: once a suggestion is accepted, the next one needs no model', async () => {
    const editor = await edit(BOX.replace('|', '\n        self.width = |'));
    const uri = editor.document.uri.toString();
    let prepared = false;
    const listener = api.onDidPrepare((of) => (prepared ||= of === uri));
    try {
      await showGhostText(api, editor);
      prepared = false;
      await eventually(() => prepared, 'what follows is computed');
      await acceptGhostText(editor);
      const { request } = await ask(api, { document: editor.document, position: editor.selection.active });
      assert.match(request.outcome.text, /^\n {8}self\.height = height/);
      assert.strictEqual(request.outcome.source, 'cache');
    } finally {
      listener.dispose();
    }
  });
});
