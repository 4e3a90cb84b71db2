/** From `emberline.device: metal` to ghost text, with an addon that has a simulated GPU inside and a model that says known things. */
import * as assert from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EmberlineApi } from '../../../extension/api';
import type { CompletionOutcome } from '../../../core/completion/outcome';
import { embeddedModelPath } from '../../../core/engine/binding';
import { ANY_LINE, ENDLESS, GREEDY_LINE, writeBigramModel } from '../../models/bigram_model';
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
} from '../suite/workbench';

/** Many seconds of them. */
const MOST_TOKENS = 256;
const SHORTEST_MS = 100;
const LONGEST_MS = 10_000;
/** For three loads of a model, one of them with the self-test of a simulated GPU. */
const SETUP_MS = 180_000;
const DEVICE = /metal, Apple M\d.*, \d+ GPU cores/;
/** At temperature 0.2 a line is the greedy one in one of seven places. */
const PLACES = ['total = ', 'width = ', 'depth = '];

suite('a GPU', () => {
  let api: EmberlineApi;
  let folder: string;
  let cpuText: string;
  const log: string[] = [];

  suiteSetup(async function () {
    this.timeout(SETUP_MS);
    folder = mkdtempSync(join(tmpdir(), 'emberline-gpu-'));
    // On the CPU, as the profile's settings say.
    api = await readyApi();
    api.onDidLog((line) => log.push(line));
    const model = join(folder, 'bigram.gguf');
    await writeBigramModel(model, embeddedModelPath(extension().extensionPath));
    await set('emberline.completion.minimumConfidence', 0);
    await set('emberline.completion.maxTokens', MOST_TOKENS);
    await set('emberline.sampling.temperature', 0);
    await set('emberline.model.path', model);
    await eventually(() => api.model?.name.startsWith('bigram') === true, 'the model is loaded');
    assert.match(api.model?.device ?? '', /^cpu, /);
    cpuText = (await ask(api, await place('price = |'))).request.outcome.text;
    await set('emberline.device', 'metal');
    await eventually(() => api.model?.device.startsWith('metal') === true, 'the GPU is taken');
  });
  suiteTeardown(() => rmSync(folder, { recursive: true, force: true }));
  teardown(closeEditors);

  function assertLogged(line: RegExp): void {
    assert.ok(
      log.some((text) => line.test(text)),
      log.join('\n'),
    );
  }

  /** Asks for what has no end and edits the document, later each time, until that hits the chain and not the prompt. */
  async function cancelledWhileDecoding(): Promise<CompletionOutcome> {
    for (let wait = SHORTEST_MS; wait <= LONGEST_MS; wait *= 2) {
      const editor = await edit(`total = ${ENDLESS} |`);
      const { document } = editor;
      const asked = ask(api, { document, position: editor.selection.active });
      await delay(wait);
      await editor.edit((builder) => builder.insert(document.positionAt(0), '\n'));
      const { outcome } = (await asked).request;
      if (outcome.timings.cancelPhase === 'decode') return outcome;
    }
    return assert.fail('In vain: an edit while the model decodes');
  }

  test('is named by the log and the status bar', () => {
    assert.strictEqual(api.status, 'ready');
    assert.match(api.tooltip, new RegExp(`^Emberline: Ready\nbigram.* on ${DEVICE.source}\n`));
    assertLogged(new RegExp(`^model ready in \\d+ ms: bigram.*, ${DEVICE.source}$`));
  });

  test('gives the ghost text that the CPU gives', async () => {
    assert.strictEqual(cpuText, GREEDY_LINE);
    const editor = await edit('price = |');
    const { outcome } = await showGhostText(api, editor);
    assert.strictEqual(outcome.text, cpuText);
    assert.strictEqual(outcome.stop, 'line_end');
    await acceptGhostText(editor);
    assert.strictEqual(editor.document.getText(), `price = ${GREEDY_LINE}`);
  });

  test('draws ghost text at temperature 0.2', async () => {
    await set('emberline.sampling.temperature', 0.2);
    const texts: string[] = [];
    for (const before of PLACES) {
      const editor = await edit(`${before}|`);
      const { outcome } = await showGhostText(api, editor);
      assert.match(outcome.text, ANY_LINE);
      assert.strictEqual(outcome.stop, 'line_end');
      await acceptGhostText(editor);
      assert.strictEqual(editor.document.getText(), before + outcome.text);
      texts.push(outcome.text);
    }
    assert.ok(texts.some((text) => text !== GREEDY_LINE));
  });

  for (const temperature of [0, 0.2]) {
    test(`is stopped by an edit in the middle of a chain, at temperature ${temperature}`, async () => {
      await set('emberline.sampling.temperature', temperature);
      const outcome = await cancelledWhileDecoding();
      assert.strictEqual(outcome.reason, 'cancelled');
      assert.strictEqual(outcome.stop, 'cancelled');
      assert.ok(outcome.timings.generatedTokens < MOST_TOKENS);
      assertLogged(/cancelled while decode, idle after/);
      // The engine is free for the next one.
      const next = await ask(api, await place('price = |'));
      assert.match(next.request.outcome.text, ANY_LINE);
    });
  }
});
