/** One setting says how sure a suggestion has to be: quiet shows least, eager most, and who asks sees it however unsure. */
import * as assert from 'node:assert';
import * as vscode from 'vscode';
import { type Eagerness, LEAST_CERTAINTY } from '../../../core/completion/certainty';
import type { EmberlineApi } from '../../../extension/api';
import { ask, closeEditors, place, readyApi, set } from './workbench';

/** From what follows almost surely to what nobody can know. */
const PLACES = [
  'class Box:\n    def __init__(self, width, height):\n        self.width = width\n        self.height = |\n',
  'for index in range(len(values)):\n    print(values[|\n',
  'import os\n\npath = os.path.jo|\n',
  'def area(width, height):\n    return |\n',
  'def load(path):\n    with open(path) as |\n',
  'total = 0\nfor value in values:\n    total |\n',
  'def main():\n    name = |\n',
  'colours = {"red": |\n',
  'class Reader:\n    def |\n',
  'x = |\n',
];

suite('eagerness', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
    await set('emberline.completion.similarCode', 'never');
    await set('emberline.completion.multiline', 'never');
  });
  suiteTeardown(async () => {
    await set('emberline.completion.similarCode', undefined);
    await set('emberline.completion.multiline', undefined);
  });
  teardown(async () => {
    await set('emberline.completion.eagerness', undefined);
    await closeEditors();
  });

  /** What is shown at each place; empty where nothing is. */
  async function shownAt(eagerness: Eagerness): Promise<string[]> {
    await set('emberline.completion.eagerness', eagerness);
    const texts = [];
    for (const content of PLACES) {
      const { outcome } = (await ask(api, await place(content))).request;
      if (outcome.shown) assert.ok(outcome.certainty >= LEAST_CERTAINTY[eagerness], content);
      else
        assert.ok(
          ['low_confidence', 'line_complete', 'blank_result'].includes(outcome.reason),
          outcome.reason,
        );
      texts.push(outcome.shown ? outcome.text : '');
    }
    return texts;
  }

  test('shows more the less sure it asks for', async () => {
    const quiet = await shownAt('quiet');
    const balanced = await shownAt('balanced');
    const eager = await shownAt('eager');
    for (const [surer, bolder] of [
      [quiet, balanced],
      [balanced, eager],
    ] as const) {
      // Which of two about equally likely texts it is may differ: they are drawn.
      surer.forEach((text, index) => assert.ok(text === '' || bolder[index] !== '', PLACES[index]));
    }
    const count = (texts: readonly string[]): number => texts.filter((text) => text !== '').length;
    assert.ok(count(quiet) > 0);
    assert.ok(count(quiet) < count(eager), `${count(quiet)}, ${count(balanced)}, ${count(eager)}`);
  });

  test('does not bind who asks', async () => {
    await set('emberline.completion.eagerness', 'quiet');
    const at = await place('def main():\n    name = |\n');
    assert.strictEqual((await ask(api, at)).request.outcome.reason, 'low_confidence');
    const { items } = await ask(api, at, undefined, vscode.InlineCompletionTriggerKind.Invoke);
    assert.ok(items.length > 0);
  });
});
