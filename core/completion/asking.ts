/** From a place in a document to an engine's answer. */
import type { EngineAnswer, EngineRequest } from '../engine/engine_request';
import type { Calibration } from './calibration';
import type { CompletionEngine, EngineState } from './engine_port';
import type { Place, PromptWriter } from './prompt_writer';

/** Sends a request to the engine. */
export type Send = (request: EngineRequest) => Promise<EngineAnswer>;

/** What is left of a prompt that did not fit, and the smallest part that is tried. */
const SMALLER = 1 / 4;
const SMALLEST = 1 / 100;

/** Writes what is asked for at a place, sends it, with less text where it does not fit, and has the writer learn from the answer. */
export async function ask(prompts: PromptWriter, place: Place, send: Send): Promise<EngineAnswer> {
  // Token counts are estimates: text far denser than any seen so far can overflow the context.
  for (let part = 1; ; part *= SMALLER) {
    const written = prompts.write(place, part);
    const answer = await send(written.request);
    // The cut of a prompt that did not fit is no start for the next one.
    if (answer.ok) prompts.learn(place.document.uri, written, answer.value);
    else if (answer.error.code === 'CONTEXT_OVERFLOW' && part * SMALLER > SMALLEST) continue;
    return answer;
  }
}

/** What is asked at a place, whichever engine answers. */
export interface Question<E extends CompletionEngine> {
  readonly place: Place;
  /** Aborting it cancels whatever was sent. */
  readonly signal: AbortSignal;
  /** Sends the request that was written for an engine. */
  readonly send: (
    engine: E,
    request: EngineRequest,
    signal: AbortSignal,
    onText: (piece: string) => void,
  ) => Promise<EngineAnswer>;
  /** Receives pieces of the one text that is the answer. Left out: nobody sees it before it is whole. */
  readonly onText?: (piece: string) => void;
  /** The request names tokens of the engine on this machine, which no other knows. Default: it does not. */
  readonly namesTokens?: boolean;
}

/** An answer, and whose it is. */
export interface Reply {
  readonly answer: EngineAnswer;
  readonly engine: Pick<CompletionEngine, 'fim'>;
  /** Whether it was computed elsewhere. */
  readonly remote: boolean;
  /** How sure one may be of its model. Default: as of the embedded one. */
  readonly calibration?: Calibration | undefined;
}

/** Whom a place is asked of: one engine, or one and another that steps in for it. Each has prompts of its own. */
export interface Asking<E extends CompletionEngine = CompletionEngine> {
  /** Whether anybody can be asked. */
  readonly state: EngineState;
  /** As of CompletionEngine. */
  readonly generating?: boolean;
  /** How sure one may be of who is asked next. Default: as of the embedded model. */
  readonly calibration?: Calibration | undefined;
  /** Never rejects. */
  ask(question: Question<E>): Promise<Reply>;
  /** Drops what is remembered of a closed document, and of all. */
  forget(uri: string): void;
  reset(): void;
}

/** One engine alone. */
export class OneEngine<E extends CompletionEngine = CompletionEngine> implements Asking<E> {
  private readonly engine: E;
  private readonly prompts: PromptWriter;
  private readonly calibrationNow: () => Calibration | undefined;

  /** @param calibration How sure one may be of the engine's model. Default: as of the embedded one. */
  constructor(
    engine: E,
    prompts: PromptWriter,
    calibration: () => Calibration | undefined = () => undefined,
  ) {
    this.engine = engine;
    this.prompts = prompts;
    this.calibrationNow = calibration;
  }

  get state(): EngineState {
    return this.engine.state;
  }

  get generating(): boolean {
    return this.engine.generating === true;
  }

  get calibration(): Calibration | undefined {
    return this.calibrationNow();
  }

  async ask({ place, signal, send, onText }: Question<E>): Promise<Reply> {
    const { engine, calibration } = this;
    const told = onText ?? ((): void => undefined);
    const answer = await ask(this.prompts, place, (request) => send(engine, request, signal, told));
    return { answer, engine, remote: false, calibration };
  }

  forget(uri: string): void {
    this.prompts.forget(uri);
  }

  reset(): void {
    this.prompts.reset();
  }
}
