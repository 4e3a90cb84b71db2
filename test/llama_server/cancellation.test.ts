/** Who types on lets a real llama-server rest: a closed connection ends what it computes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { made, measured, type RemoteChoices, remoteEngine, requestAt, startServer } from './both_engines';
import { MANY_LINES } from './places';
import { idle, type LlamaServer } from '../remote/llama_server';

let server: LlamaServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** More than it makes within the test. */
const MANY_TOKENS = 3_000;

/** Without its model's marks and ends, so that nothing but the abort ends the text soon. */
it.each<RemoteChoices>([{ protocol: 'llama-server' }, { protocol: 'openai' }, { fim: 'server' }])(
  'an edit ends what it computes for %j',
  async (choices) => {
    const engine = remoteEngine(server, choices);
    const controller = new AbortController();
    const request = { ...requestAt(MANY_LINES, undefined), maxTokens: MANY_TOKENS };
    await engine.connect();
    let atWork = false;
    let aborted = 0;
    let pieces = 0;
    const answer = await engine.generate(request, controller.signal, () => {
      if (++pieces !== 3) return;
      void server.slots().then((slots) => {
        atWork = slots.some((slot) => slot.is_processing);
        aborted = performance.now();
        controller.abort();
      });
    });
    expect(made(answer).stop).toBe('cancelled');
    expect(atWork).toBe(true);
    const slots = await idle(server);
    measured(`from an edit to an idle server, ${choices.protocol ?? 'infill'}`, performance.now() - aborted);
    const decoded = slots.map((slot) => slot.next_token?.[0]?.n_decoded ?? 0);
    expect(Math.max(...decoded)).toBeLessThan(MANY_TOKENS / 2);
    engine.dispose();
  },
);

it('the end of a line ends what it computes', async () => {
  const engine = remoteEngine(server);
  const place = { path: 'a.py', languageId: 'python', before: 'import os\nimport s', after: '\n' };
  const request = { ...requestAt(place, undefined), maxTokens: MANY_TOKENS };
  const { text } = made(await engine.complete(request, new AbortController().signal));
  expect(text).not.toContain('\n');
  await idle(server);
  engine.dispose();
});
