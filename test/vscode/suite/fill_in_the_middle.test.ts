/**
 * A file of a family that fills in the middle, from the setting to ghost text: a stand-in that says one thing behind the mark of a middle,
 * and another behind text.
 */
import * as assert from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import { embeddedModelPath } from '../../../core/engine/binding';
import { FILLED_LINE, GREEDY_LINE, writeBigramModel } from '../../models/bigram_model';
import {
  acceptGhostText,
  ask,
  closeEditors,
  edit,
  eventually,
  extension,
  place,
  readyApi,
  set,
  showGhostText,
  withItem,
} from './workbench';

/** Of Qwen2.5-Coder. */
const MARKS = {
  prefix: '<|fim_prefix|>',
  suffix: '<|fim_suffix|>',
  middle: '<|fim_middle|>',
  separator: '<|file_sep|>',
};
/** Two models are loaded, one after the other. */
const LOADING_MS = 90_000;

suite('a model that fills in the middle', () => {
  let api: EmberlineApi;
  let folder: string;

  suiteSetup(async function () {
    this.timeout(LOADING_MS);
    folder = mkdtempSync(join(tmpdir(), 'emberline-fim-'));
    api = await readyApi();
    const model = join(folder, 'bigram.gguf');
    await writeBigramModel(model, embeddedModelPath(extension().extensionPath), { marks: MARKS });
    await set('emberline.completion.minimumConfidence', 0);
    await set('emberline.sampling.temperature', 0);
    await set('emberline.model.path', model);
    await eventually(() => api.model?.name.startsWith('bigram') === true, 'the model is loaded');
  });
  suiteTeardown(async function () {
    this.timeout(LOADING_MS);
    await set('emberline.model.path', undefined);
    await eventually(
      () => api.model?.name.startsWith('bigram') === false && api.status === 'ready',
      'the embedded model is back',
    );
    await set('emberline.completion.minimumConfidence', undefined);
    await set('emberline.sampling.temperature', undefined);
    rmSync(folder, { recursive: true, force: true });
  });
  teardown(closeEditors);

  test('is asked for what stands between, in front of a word and of a line', async () => {
    const editor = await edit('def f(x):\n    return |(x)\n\nprint(f(1))\n');
    await showGhostText(api, editor);
    await acceptGhostText(editor);
    assert.strictEqual(editor.document.getText(), `def f(x):\n    return ${FILLED_LINE}(x)\n\nprint(f(1))\n`);
    const { request } = await ask(api, await place('total = |\nprint(total)\n'));
    assert.strictEqual(request.outcome.text, FILLED_LINE);
  });

  for (const content of ['print(x, |, y)\n', 'if (x > |) {\n}\n', 'log("a |");\n', 'total = | + x\n']) {
    test(`is shown between what stands there: ${content.trimEnd()}`, async () => {
      const at = await place(content, 'javascript');
      const { items, request } = await ask(api, at);
      assert.strictEqual(items.length, 1, request.outcome.reason);
      assert.strictEqual(withItem(at, items[0]), content.replace('|', FILLED_LINE));
    });
  }

  test('goes on with the text where nothing follows', async () => {
    const { request } = await ask(api, await place('total = |'));
    assert.strictEqual(request.outcome.text, GREEDY_LINE);
  });

  test('is believed less once what it says is not what is typed', async () => {
    const said = async (): Promise<number> => {
      const { request } = await ask(api, await place('total = |'));
      assert.strictEqual(request.outcome.text, GREEDY_LINE);
      return request.outcome.certainty;
    };
    const before = await said();
    for (let line = 0; line < 5; line++) {
      const editor = await edit(`line_${line} = |`);
      await ask(api, { document: editor.document, position: editor.selection.active });
      await editor.edit((change) => change.insert(editor.selection.active, 'zz\n'));
      await ask(api, { document: editor.document, position: new vscode.Position(1, 0) });
    }
    const after = await said();
    assert.ok(after < before, `${after}, before ${before}`);
  });

  test('takes a mark that the document spells for text', async () => {
    const { request } = await ask(api, await place(`# ends with ${MARKS.middle}|`));
    assert.strictEqual(request.outcome.text, ` ${GREEDY_LINE}`);
  });
});
