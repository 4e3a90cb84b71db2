/** Edits at any moment: the running request ends at once, nothing stale is shown, and nothing is left behind. */
import * as assert from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import type { FinishedRequest } from '../../../extension/completion/provider';
import { SeededRandom } from '../../../bench/random';
import { quantile } from '../../../bench/statistics';
import { memoryInUse } from './memory_in_use';
import {
  acceptGhostText,
  ask,
  closeEditors,
  edit,
  figure,
  moveTo,
  readyApi,
  set,
  showGhostText,
} from './workbench';

const EDITS = 200;
const HITS = 100;
const SHORTEST_MS = 20;
const LONGEST_MS = 120;
/** Every so many edits one is made near the top, so that nearly the whole prompt is read again. */
const TOP_EVERY = 5;
/** Allocators keep some of what they freed; a leak of a KV cache or of a prompt in each request is far more. */
const MEMORY_BYTES = 48 * 1024 * 1024;
const HEAP_BYTES = 8 * 1024 * 1024;

suite('cancellation', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
    await set('editor.inlineSuggest.enabled', false);
    await set('emberline.completion.maxTokens', 200);
    await set('emberline.completion.promptTokens', 160);
    await set('emberline.completion.minimumConfidence', 0);
  });
  suiteTeardown(async () => {
    await set('editor.inlineSuggest.enabled', undefined);
    await set('emberline.completion.maxTokens', undefined);
    await set('emberline.completion.promptTokens', undefined);
    await set('emberline.completion.minimumConfidence', undefined);
    await closeEditors();
  });

  test(`${EDITS} edits cancel what runs, and only the last version is completed`, async function () {
    this.timeout(180_000);
    const lines = Array.from({ length: 24 }, (_, index) => `value_${index} = compute(${index})\n`).join('');
    const editor = await edit(`# notes\n${lines}numbers = [1, 2, 3, 4, 5, |`);
    const { document } = editor;
    const end = (): vscode.Position => document.positionAt(document.getText().length);
    const finished: FinishedRequest[] = [];
    const listener = api.onDidFinish((request) => finished.push(request));
    const asked: Promise<unknown>[] = [];
    const hits = { prefill: 0, decode: 0 };
    const idleMs: number[] = [];

    const whole = await ask(api, { document, position: end() });
    const { timings } = whole.request.outcome;
    const tokenMs = (timings.totalMs - timings.prefillMs) / Math.max(1, timings.generatedTokens);
    const before = memoryInUse();
    finished.length = 0;

    const random = new SeededRandom(20_240_611);
    for (let index = 0; index < EDITS; index++) {
      const top = index % TOP_EVERY === 0;
      // A line that grows with digits has no end in sight, so decoding goes on until the next edit.
      const where = top ? new vscode.Position(0, 2) : end();
      await editor.edit((builder) => builder.insert(where, top ? 'n' : `${index}, `));
      asked.push(ask(api, { document, position: end() }));
      if (index < EDITS - 1) await delay(SHORTEST_MS + random.next() * (LONGEST_MS - SHORTEST_MS));
    }
    await Promise.all(asked);
    listener.dispose();

    for (const { outcome } of finished) {
      const { cancelPhase, cancelMs } = outcome.timings;
      if (cancelPhase !== 'prefill' && cancelPhase !== 'decode') continue;
      hits[cancelPhase]++;
      idleMs.push(cancelMs);
    }
    assert.ok(hits.prefill > 0 && hits.decode > 0, JSON.stringify(hits));
    const milliseconds = (part: number): string => quantile(idleMs, part).toFixed(1);
    figure(
      `cancellation: ${EDITS} edits hit ${hits.prefill} prefills and ${hits.decode} decodes; idle after ` +
        `${milliseconds(0.5)} ms (median), ${milliseconds(0.95)} ms (95 %), ${milliseconds(1)} ms (most); ` +
        `a token takes ${tokenMs.toFixed(1)} ms`,
    );
    assert.ok(hits.prefill + hits.decode >= HITS, `only ${JSON.stringify(hits)} edits hit a running request`);

    assert.strictEqual(finished.length, EDITS);
    assert.strictEqual(api.pending, 0);
    const stale = finished.filter((request) => request.outcome.shown && request.version < document.version);
    // A request that was complete before its edit came was not stale then; what was cut off must show nothing.
    for (const request of stale) assert.strictEqual(request.outcome.timings.cancelPhase, 'none');
    const last = finished.filter((request) => request.version === document.version);
    assert.strictEqual(last.length, 1);
    assert.ok(last[0]?.outcome.shown, last[0]?.outcome.reason);

    const after = memoryInUse();
    const growth = after.rss - before.rss;
    const heap = after.heapUsed - before.heapUsed;
    const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
    figure(
      `memory after ${EDITS} requests: ${mebibytes(growth)} MiB more, ${mebibytes(heap)} MiB of it on the JS heap`,
    );
    assert.ok(growth < MEMORY_BYTES, `${growth} bytes more`);
    assert.ok(heap < HEAP_BYTES, `${heap} bytes more on the JS heap`);
  });

  test('the editor shows the suggestion of the last version only', async () => {
    await set('editor.inlineSuggest.enabled', true);
    const editor = await edit('def add(a, b):\n    return |');
    for (const character of 'a * ') {
      await vscode.commands.executeCommand('type', { text: character });
      moveTo(editor, editor.selection.active);
    }
    const before = editor.document.getText();
    assert.ok(before.endsWith('return a * '));
    const { outcome, version } = await showGhostText(api, editor);
    assert.strictEqual(version, editor.document.version);
    await acceptGhostText(editor);
    assert.strictEqual(editor.document.getText(), before + outcome.text);
  });

  test('a cancelled token ends the request', async () => {
    const editor = await edit('numbers = [1, 2, 3, 4, 5, 6, |');
    const cancellation = new vscode.CancellationTokenSource();
    const context = {
      triggerKind: vscode.InlineCompletionTriggerKind.Automatic,
      selectedCompletionInfo: undefined,
    };
    const position = editor.selection.active;
    const asked = api.provider.provideInlineCompletionItems(
      editor.document,
      position,
      context,
      cancellation.token,
    );
    cancellation.cancel();
    assert.deepStrictEqual(await asked, []);
    assert.strictEqual(api.last?.outcome.reason, 'cancelled');
    cancellation.dispose();
  });
});
