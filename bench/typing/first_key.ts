/** How long the first key in a file takes, whose text the model has not read, or has read while the cursor rested. */
import { valueOf } from '../../cli/failure';
import type { GenerationEngine } from '../../core/completion/engine_port';
import { REAL_CLOCK, REST_MS } from './clock';
import { documentAt, type Stretch } from './stretch';
import type { Subject } from './subject';

/**
 * Milliseconds that what is shown first behind the first key of the stretch takes; undefined where the model is not asked. Throws Failure.
 * @param restMs How long the cursor stands there before; the extension begins to read after REST_MS of it.
 */
export async function firstKeyMs(
  engine: GenerationEngine,
  subject: Subject,
  stretch: Stretch,
  restMs: number,
): Promise<number | undefined> {
  await displace(engine);
  const { path, stops, end } = stretch;
  // Another document each time, so that the suggestions of the last time are not found.
  const uri = `first:${restMs}:${path}`;
  if (restMs > REST_MS) {
    const document = documentAt(stretch, uri, stops[0] ?? end);
    await REAL_CLOCK.within(restMs - REST_MS, (signal) =>
      subject.prepare({ document, signal, ...stretch.others }),
    );
  }
  const begin = subject.begin ?? subject.complete;
  const { value, ms } = await REAL_CLOCK.within(Infinity, (signal) =>
    begin({
      document: documentAt(stretch, uri, stops[1] ?? end),
      signal,
      ...stretch.others,
    }),
  );
  return value.source === 'model' ? ms : undefined;
}

/** Another text takes the KV cache. */
async function displace(engine: GenerationEngine): Promise<void> {
  const { signal } = new AbortController();
  valueOf(await engine.complete({ prompt: 'Somewhere else.', maxTokens: 1 }, signal));
}
