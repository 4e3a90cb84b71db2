/** The addon in several environments at once, and in ones that end in the middle of the work. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { GREEDY } from '../../core/engine/engine_request';
import { ADDON, loadModel, MODEL, openSession, request, sourceText, valueOf } from './embedded_model';

/** Completes once and posts the text; or completes at length, posting each piece. */
const SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
(async () => {
  const addon = require(workerData.addon);
  const model = (await addon.loadModel({ path: workerData.model, threads: 1, device: 'cpu' })).value;
  const session = (await model.createSession({ context: 2048 })).value;
  parentPort.postMessage('loaded');
  parentPort.on('message', () => process.exit(0));
  const result = await session.complete(workerData.request, (piece) => parentPort.postMessage('piece'));
  await model.close();
  parentPort.postMessage({ text: result.value.text });
  parentPort.close();
})();
`;

function start(prompt: string, maxTokens: number): Worker {
  const wanted = { ...request(prompt, { maxTokens, singleLine: false }), sampling: { ...GREEDY } };
  return new Worker(SOURCE, { eval: true, workerData: { addon: ADDON, model: MODEL, request: wanted } });
}

async function messageOf(worker: Worker, wanted: (message: unknown) => boolean): Promise<unknown> {
  for (;;) {
    const [message] = (await once(worker, 'message')) as [unknown];
    if (wanted(message)) return message;
  }
}

const isText = (message: unknown): boolean => typeof message === 'object';

describe('worker threads', () => {
  it('work beside each other and the main thread, with the same result', async () => {
    const prompt = 'def add(a, b):\n    return';
    const workers = [start(prompt, 6), start(prompt, 6)];
    const exits = workers.map((worker) => once(worker, 'exit'));
    // From the start: they may be done before this thread has loaded its model.
    const texts = workers.map((worker) => messageOf(worker, isText));
    const model = await loadModel();
    const session = await openSession(model, 256);
    const [here, ...there] = await Promise.all([
      session.complete(request(prompt, { maxTokens: 6, singleLine: false })),
      ...texts,
    ]);
    const { text } = valueOf(here);
    expect(text).not.toBe('');
    expect(there).toEqual([{ text }, { text }]);
    await model.close();
    // Nothing keeps a worker alive that has closed its model.
    expect(await Promise.all(exits)).toEqual([[0], [0]]);
  });

  it.each([
    ['loading', '', 'online'],
    ['reading a prompt', sourceText(100), 'loaded'],
    ['decoding', 'import os\n', 'piece'],
  ])('end while %s, by being terminated or by themselves', async (_, prompt, moment) => {
    for (const ending of ['terminate', 'exit']) {
      const worker = start(prompt, 1_000);
      if (moment === 'online') await once(worker, 'online');
      else await messageOf(worker, (message) => message === moment);
      const exit = once(worker, 'exit');
      if (ending === 'terminate') await worker.terminate();
      else worker.postMessage('exit');
      await exit;
    }
    // The addon still works here.
    const model = await loadModel();
    expect(valueOf(await model.tokenize('x', false)).length).toBe(1);
    await model.close();
  });
});
