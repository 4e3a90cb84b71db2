/** How long the first suggestion of a file takes; the figures are printed, not judged. */
import * as assert from 'node:assert';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import type { FinishedRequest } from '../../../extension/completion/provider';
import {
  ask,
  closeEditors,
  edit,
  figure,
  type Place,
  place,
  readyApi,
  set,
  showGhostText,
} from './workbench';

suite('the first ghost text of a file', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
    await set('emberline.completion.minimumConfidence', 0);
  });
  suiteTeardown(() => set('emberline.completion.minimumConfidence', undefined));
  teardown(closeEditors);

  async function measure(name: string, content: string): Promise<void> {
    await measureAt(name, await place(content));
  }

  async function measureAt(name: string, { document, position }: Place): Promise<FinishedRequest> {
    const began = performance.now();
    const { request } = await ask(api, { document, position });
    const elapsed = performance.now() - began;
    const { promptTokens, reusedTokens, prefillMs, generatedTokens } = request.outcome.timings;
    assert.strictEqual(request.outcome.source, 'model');
    assert.ok(request.outcome.shown, request.outcome.reason);
    figure(
      `first ghost text ${name}: ${elapsed.toFixed(0)} ms (prompt ${promptTokens} tokens, ${reusedTokens} reused, ` +
        `read in ${prefillMs.toFixed(0)} ms, ${generatedTokens} generated)`,
    );
    return request;
  }

  const long = (variant: string): string =>
    Array.from(
      { length: 400 },
      (_, index) =>
        `def ${variant}_${index}(left, right):\n    """Combine two values."""\n    return left * ${index} + right\n\n\n`,
    ).join('') + `def ${variant}_sum(left, right):\n    return |`;

  test('right after loading, in a short file', async () => {
    await vscode.commands.executeCommand('emberline.restart');
    await measure('in a short file, right after loading', 'def add(a, b):\n    return |');
  });

  test('right after loading, in a long file', async () => {
    await vscode.commands.executeCommand('emberline.restart');
    await measure('in a long file, right after loading', long('first'));
  });

  test('in long files, once the speed is known', async () => {
    for (const variant of ['second', 'third', 'fourth']) await measure('in another long file', long(variant));
  });

  test('where the cursor rested, in a long file', async () => {
    await vscode.commands.executeCommand('emberline.restart');
    const read = new Promise((resolve) => {
      const subscription = api.onDidPrepare((uri) => {
        subscription.dispose();
        resolve(uri);
      });
    });
    const { document, selection } = await edit(long('fifth'));
    assert.strictEqual(await read, document.uri.toString());
    const { outcome } = await measureAt('where the cursor rested', { document, position: selection.active });
    assert.ok(outcome.timings.reusedTokens > 0.9 * outcome.timings.promptTokens);
  });

  test('on the screen, with the wait of the editor', async () => {
    const editor = await edit('def multiply(a, b):\n    return |');
    const began = performance.now();
    await showGhostText(api, editor);
    figure(`ghost text asked of the editor: ${(performance.now() - began).toFixed(0)} ms`);
  });
});
