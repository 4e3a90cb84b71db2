/** Changing models in a running editor: one that is fine, and one that brings the engine down in its trial. */
import * as assert from 'node:assert';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { embeddedModelPath } from '../../../core/engine/binding';
import type { EmberlineApi } from '../../../extension/api';
import { writeBigramModel } from '../../models/bigram_model';
import { ask, closeEditors, eventually, extension, place, readyApi, set } from './workbench';

/** Models are loaded one after the other, each in two processes. */
const LOADING_MS = 120_000;

suite('choosing a model', () => {
  let api: EmberlineApi;
  let folder: string;

  const choose = (path: string): Thenable<{ kind: string; error?: { code: string } }> =>
    vscode.commands.executeCommand('emberline.chooseModel', path);
  const path = (): unknown =>
    vscode.workspace.getConfiguration('emberline').inspect('model.path')?.globalValue;
  const runs = (name: string): boolean => api.status === 'ready' && api.model?.name.startsWith(name) === true;

  suiteSetup(async () => {
    folder = mkdtempSync(join(tmpdir(), 'emberline-choice-'));
    api = await readyApi();
  });
  suiteTeardown(async function () {
    this.timeout(LOADING_MS);
    await set('emberline.model.path', undefined);
    await eventually(() => runs('Emberline'), 'the embedded model is back');
    await vscode.commands.executeCommand('notifications.clearAll');
    rmSync(folder, { recursive: true, force: true });
  });
  teardown(closeEditors);

  test('changes to one that runs, and back', async function () {
    this.timeout(LOADING_MS);
    const model = join(folder, 'bigram.gguf');
    await writeBigramModel(model, embeddedModelPath(extension().extensionPath));
    assert.deepStrictEqual(await choose(model), { kind: 'chosen', path: model });
    assert.strictEqual(path(), model);
    await eventually(() => runs('bigram'), 'the model runs');
    assert.deepStrictEqual(await choose(''), { kind: 'chosen', path: '' });
    assert.strictEqual(path(), undefined);
    await eventually(() => runs('Emberline'), 'the embedded model runs');
  });

  test('leaves all as it is where the file is no model', async () => {
    const text = join(folder, 'text.gguf');
    writeFileSync(text, 'No model.\n'.repeat(100));
    const ending = await choose(text);
    assert.strictEqual(ending.kind, 'refused');
    assert.strictEqual(ending.error?.code, 'MODEL_NOT_GGUF');
    assert.strictEqual(path(), undefined);
    assert.ok(runs('Emberline'));
  });

  test('leaves the editor alive where the engine breaks down', async function () {
    this.timeout(LOADING_MS);
    // A stand-in for the process that loads it: no file is known that would break the engine itself.
    const script = join(extension().extensionPath, 'dist', 'trial.cjs');
    const kept = join(folder, 'trial.cjs');
    copyFileSync(script, kept);
    const model = join(folder, 'breaks.gguf');
    copyFileSync(embeddedModelPath(extension().extensionPath), model);
    writeFileSync(script, "process.once('message', () => process.abort());\n");
    try {
      const ending = await choose(model);
      assert.strictEqual(ending.kind, 'refused');
      assert.strictEqual(ending.error?.code, 'MODEL_CRASHED');
      assert.strictEqual(path(), undefined);
      // Written into the settings by hand, it is refused as well.
      await set('emberline.model.path', model);
      await eventually(() => api.error?.code === 'MODEL_CRASHED', 'it is refused');
      const { request } = await ask(api, await place('def add(a, b):\n    return |'));
      assert.strictEqual(request.outcome.source, 'model', request.outcome.reason);
      assert.ok(runs('Emberline'));
    } finally {
      copyFileSync(kept, script);
    }
    await set('emberline.model.path', undefined);
    await eventually(() => api.error === undefined && runs('Emberline'), 'all is well');
    assert.deepStrictEqual(await choose(model), { kind: 'chosen', path: model });
  });
});
