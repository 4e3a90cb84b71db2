/** An engine that is made up, under a pipeline that completes at a cursor in a text. */
import { type DocumentSnapshot, snapshotOfText } from '../../core/completion/document';
import type { CompletionEngine, EngineState } from '../../core/completion/engine_port';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import type { CompletionOutcome } from '../../core/completion/outcome';
import { CompletionPipeline, type SuggestionRequest } from '../../core/completion/pipeline';
import type { EngineAnswer, EngineRequest } from '../../core/engine/engine_request';
import type { NativeError } from '../../core/engine/native_result';
import { type NativeFim, type NativeStop, NO_COMPLETION } from '../../core/engine/native_types';
import { asOneToken, asTokens } from './made_up_tokens';

/** Says what it is told to, and remembers what it was asked. */
export class FakeEngine implements CompletionEngine {
  state: EngineState = 'ready';
  generating = false;
  readonly speed = { prefillTokensPerSecond: undefined };
  readonly requests: EngineRequest[] = [];
  /** Longest prompt it takes, UTF-16 units. */
  longest = Infinity;
  context: number | undefined;
  fim: NativeFim | undefined;
  parameters: number | undefined;
  says = 'a + b';
  stop: NativeStop = 'line_end';
  confidence = 0.9;
  /** The tokens of what it says, with their probabilities; default: one. */
  course: readonly (readonly [string, number])[] | undefined;
  endProbability = 0;
  /** What it ends with instead of an answer. */
  error: NativeError | undefined;
  /** What happens in the middle of a request. */
  meanwhile: (() => void) | undefined;

  complete(request: EngineRequest, signal: AbortSignal): Promise<EngineAnswer> {
    this.requests.push(request);
    if (request.prompt.length > this.longest) {
      return Promise.resolve({ ok: false, error: { code: 'CONTEXT_OVERFLOW', message: 'Too long.' } });
    }
    return new Promise((resolve) => {
      const answer = (): void => {
        const stop = signal.aborted ? 'cancelled' : this.stop;
        if (this.error !== undefined) {
          resolve({ ok: false, error: this.error });
          return;
        }
        resolve({
          ok: true,
          value: {
            ...NO_COMPLETION,
            text: this.says,
            stop,
            ids: new Uint32Array([1]),
            ...(this.course ? asTokens(this.course) : asOneToken(this.says, this.confidence)),
            endProbability: this.endProbability,
          },
        });
      };
      signal.addEventListener('abort', answer, { once: true });
      setImmediate(() => {
        this.meanwhile?.();
        answer();
      });
    });
  }
}

type Flags = Partial<
  Pick<
    SuggestionRequest,
    'explicit' | 'evenIfRefused' | 'beside' | 'clipboard' | 'mayEnd' | 'fork' | 'signal'
  >
>;

/** A pipeline on a made-up engine. */
export interface Bench {
  readonly engine: FakeEngine;
  readonly pipeline: CompletionPipeline;
  /** Completes at the `|` of `text`. */
  readonly at: (text: string, flags?: Flags) => Promise<CompletionOutcome>;
}

/** Completes in a Python file, with the engine ready to answer. */
export function bench(options = DEFAULT_OPTIONS): Bench {
  const engine = new FakeEngine();
  const pipeline = new CompletionPipeline(engine, () => options);
  return {
    engine,
    pipeline,
    at(text, flags = {}) {
      return pipeline.complete({
        document: documentAt(text),
        signal: new AbortController().signal,
        ...flags,
      });
    },
  };
}

/** A Python file with the cursor at the `|` of `text`. */
export function documentAt(text: string): DocumentSnapshot {
  const offset = text.indexOf('|');
  return snapshotOfText({
    uri: 'file:///src/add.py',
    path: 'src/add.py',
    languageId: 'python',
    text: text.slice(0, offset) + text.slice(offset + 1),
    offset,
  });
}
