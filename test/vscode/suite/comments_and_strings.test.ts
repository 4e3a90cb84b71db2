/** In a comment or a string a suggestion has to be as sure as in code, or there is none. */
import * as assert from 'node:assert';
import * as vscode from 'vscode';
import { LEAST_CERTAINTY } from '../../../core/completion/certainty';
import type { EmberlineApi } from '../../../extension/api';
import { ask, closeEditors, place, readyApi, set, withItem } from './workbench';

const BOX = `// Returns the width of the box.
function width(box) {
  return box.width;
}

// Returns the |
function height(box) {
  return box.height;
}
`;

suite('comments and strings', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
    await set('emberline.completion.similarCode', 'never');
  });
  suiteTeardown(() => set('emberline.completion.similarCode', undefined));
  teardown(closeEditors);

  for (const [name, language, content, text] of [
    ['a comment', 'javascript', BOX, /^height of the box\.$/],
    [
      'a docstring',
      'python',
      'def add(a, b):\n    """Add a and b."""\n    return a + b\n\n\ndef subtract(a, b):\n    """Subtract |"""\n    return a - b\n',
      /^a and b\.$/,
    ],
    [
      'a string',
      'python',
      'if mode == "read":\n    start("read")\nelif mode == "write":\n    start("|")\n',
      /^write$/,
    ],
  ] as const) {
    test(`have suggestions where the model is sure: ${name}`, async () => {
      const at = await place(content, language);
      const { items, request } = await ask(api, at);
      assert.strictEqual(items.length, 1, request.outcome.reason);
      const [head = '', tail = ''] = content.split('|');
      const whole = withItem(at, items[0]);
      assert.ok(whole.startsWith(head) && whole.endsWith(tail), whole);
      assert.match(whole.slice(head.length, -tail.length), text);
      assert.ok(request.outcome.certainty >= LEAST_CERTAINTY.balanced);
    });
  }

  // What is made of them is unlikely and ends, whatever the file is called: drawing it depends on that.
  for (const [name, language, content] of [
    ['a comment', 'python', '# Written by |\ntotal = 1\n'],
    ['a docstring', 'python', 'def load(path):\n    """Read |"""\n    return path\n'],
    ['a string', 'javascript', 'const greeting = "Dear |";\n'],
  ] as const) {
    test(`have none where it is not, but for who asks: ${name}`, async () => {
      const at = await place(content, language);
      const unasked = await ask(api, at);
      assert.deepStrictEqual(unasked.items, []);
      assert.strictEqual(unasked.request.outcome.reason, 'low_confidence');
      const asked = await ask(api, at, undefined, vscode.InlineCompletionTriggerKind.Invoke);
      assert.ok(asked.items.length > 0, asked.request.outcome.reason);
    });
  }
});
