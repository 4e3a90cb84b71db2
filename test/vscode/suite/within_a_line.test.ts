/**
 * Code right of the cursor does not silence: what is suggested goes between, and takes the place of what it says again. Brackets and quotes stay in
 * pairs.
 */
import * as assert from 'node:assert';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import {
  acceptGhostText,
  ask,
  changeBy,
  closeEditors,
  edit,
  place,
  readyApi,
  set,
  showGhostText,
  withItem,
} from './workbench';

const CHECK_HEIGHT = `function area(width, height) {
  if (width < 0) {
    throw new Error("width");
  }
  if (|) {
    throw new Error("height");
  }
  return width * height;
}
`;
const ADD = `def multiply(first, second):
    return first * second


def add(first, second):
    return |first
`;

/** What stands in the document, the cursor as `|`, and its line once the suggestion is accepted. */
const SCENES: readonly (readonly [name: string, language: string, content: string, line: string])[] = [
  ['a condition', 'javascript', CHECK_HEIGHT, '  if (height < 0) {'],
  [
    'the right side of a comparison',
    'javascript',
    CHECK_HEIGHT.replace('|', 'height < |'),
    '  if (height < 0) {',
  ],
  ['a word that begins it', 'javascript', CHECK_HEIGHT.replace('|', '|height'), '  if (height < 0) {'],
  ['what is returned', 'python', ADD, '    return first + second'],
  [
    'an argument in front of another',
    'python',
    'def add(a, b):\n    return a + b\n\n\ndef main(a, b):\n    print(add(|, b))\n',
    '    print(add(a, b))',
  ],
  [
    'the last argument of a call within another',
    'python',
    'def mean(values):\n    """The mean of values."""\n    return sum(values) / len(|)\n\n\nprint(mean([1, 2]))\n',
    '    return sum(values) / len(values)',
  ],
  [
    'a string',
    'javascript',
    'const errors = {\n  width: "The width is too small.",\n  height: "The height is |",\n};\n',
    '  height: "The height is too small.",',
  ],
];

suite('within a line', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
    // What the other tests left behind is not to be read.
    await set('emberline.completion.similarCode', 'never');
  });
  suiteTeardown(() => set('emberline.completion.similarCode', undefined));
  teardown(closeEditors);

  for (const [name, language, content, line] of SCENES) {
    test(`is suggested: ${name}`, async () => {
      const before = content.replace('|', '');
      const after = content.replace(/^.*\|.*$/m, () => line);
      const at = await place(content, language);
      const { items, request } = await ask(api, at);
      assert.strictEqual(items.length, 1, request.outcome.reason);
      assert.strictEqual(withItem(at, items[0]), after);
      const editor = await edit(content, language);
      await showGhostText(api, editor);
      await acceptGhostText(editor);
      assert.strictEqual(editor.document.getText(), after);
      await changeBy('undo', editor.document);
      assert.strictEqual(editor.document.getText(), before);
    });
  }

  test('is nothing where the model says what stands there, and where the cursor is in a word', async () => {
    const said = await ask(api, await place(ADD.replace('|first', '|first + second')));
    assert.deepStrictEqual([said.items, said.request.outcome.reason], [[], 'already_there']);
    const word = await ask(api, await place(ADD.replace('|first', 'fi|rst')));
    assert.deepStrictEqual([word.items, word.request.outcome.reason], [[], 'inside_word']);
  });

  test('is not offered again where it was undone, with what it had replaced', async () => {
    const editor = await edit(ADD);
    const { document } = editor;
    const position = editor.selection.active;
    const { outcome } = await showGhostText(api, editor);
    assert.ok(outcome.replace > 0);
    await acceptGhostText(editor);
    await changeBy('undo', document);
    const { items, request } = await ask(api, { document, position });
    assert.deepStrictEqual(items, []);
    assert.strictEqual(request.outcome.reason, 'taken_back');
    const asked = await ask(
      api,
      { document, position },
      undefined,
      vscode.InlineCompletionTriggerKind.Invoke,
    );
    assert.ok(asked.items.length > 0);
  });
});
