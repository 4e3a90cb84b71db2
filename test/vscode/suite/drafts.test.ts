/** Drafts make a suggestion come sooner, and leave it as it is. */
import * as assert from 'node:assert';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import { ask, closeEditors, readyApi, set } from './workbench';

const LINE = '    self.assertEqual(parse(text), expected_value)\n';
const TEXT = `class TestParse(TestCase):\n  def test_parse(self, text):\n${LINE.repeat(6)}    self.`;
/** Whether drafts pay follows what was measured: an engine whose processors were taken away does without them for a while, one that is started anew measures anew. */
const MOST_TRIES = 5;

suite('drafts', () => {
  let api: EmberlineApi;
  let folder: string;
  let file: string;

  suiteSetup(async () => {
    api = await readyApi();
    folder = mkdtempSync(join(tmpdir(), 'emberline-drafts-'));
    file = join(folder, 'test_parse.py');
    writeFileSync(file, TEXT);
  });
  suiteTeardown(() => rmSync(folder, { recursive: true }));
  setup(() => set('emberline.completion.minimumConfidence', 0));
  teardown(async () => {
    for (const name of ['completion.minimumConfidence', 'drafting', 'sampling.temperature']) {
      await set(`emberline.${name}`, undefined);
    }
    await closeEditors();
  });

  /** What is suggested at the end of the file, by the model: a closed document's suggestions are forgotten. */
  async function suggestion(): Promise<Awaited<ReturnType<typeof ask>>['request']['outcome']> {
    // Opened by hand, so to speak: what an extension opens stays open for minutes.
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file));
    const document = vscode.window.activeTextEditor?.document;
    assert.ok(document?.uri.fsPath === file);
    const { request } = await ask(api, { document, position: document.positionAt(TEXT.length) });
    const closed = new Promise<void>((resolve) => {
      const listener = vscode.workspace.onDidCloseTextDocument((gone) => {
        if (gone !== document) return;
        listener.dispose();
        resolve();
      });
    });
    await closeEditors();
    await closed;
    assert.strictEqual(request.outcome.source, 'model');
    return request.outcome;
  }

  for (const temperature of [0, 0.2]) {
    test(`are right where a file repeats itself, at temperature ${temperature}`, async () => {
      await set('emberline.sampling.temperature', temperature);
      await set('emberline.drafting', 'off');
      const plain = await suggestion();
      assert.strictEqual(plain.drafting.drafted, 0);
      assert.match(plain.text, /^assertEqual\(/);
      await set('emberline.drafting', undefined);
      const lines: string[] = [];
      const listener = api.onDidLog((line) => lines.push(line));
      let accepted = 0;
      for (let tries = 0; accepted === 0 && tries < MOST_TRIES; tries++) {
        if (tries > 0) await vscode.commands.executeCommand('emberline.restart');
        const before = api.drafting.accepted;
        const drafted = await suggestion();
        ({ accepted } = drafted.drafting);
        assert.strictEqual(drafted.text, plain.text);
        assert.deepStrictEqual([...drafted.ids], [...plain.ids]);
        assert.strictEqual(api.drafting.accepted, before + accepted);
      }
      listener.dispose();
      assert.ok(accepted > 0, 'nothing that was drafted was right');
      const said = lines.some((line) => /drafted [1-9]\d*, accepted [1-9]\d* in \d+ batches/.test(line));
      assert.ok(said, `the log does not say so: ${lines.join(' | ')}`);
    });
  }

  test('and chance leave the same text at the same place', async () => {
    await set('emberline.sampling.temperature', 0.2);
    const once = await suggestion();
    const again = await suggestion();
    assert.strictEqual(again.text, once.text);
  });
});
