/**
 * A remote engine is asked, and the one on this machine steps in where that is late, fails, or may not have the text: who types never waits longer than the
 * time limit for it.
 *
 * The local engine begins at half of the limit, so that its answer is there when the limit passes; the first that may be taken cancels the other. While a
 * remote engine is left alone after a failure (back_off.ts), the local one answers as if there were no other.
 */
import { ask, type Asking, type Question, type Reply } from '../completion/asking';
import type { DocumentSnapshot } from '../completion/document';
import type { EngineState, GenerationEngine } from '../completion/engine_port';
import type { Place, PromptWriter } from '../completion/prompt_writer';
import type { EngineAnswer } from '../engine/engine_request';
import type { NativeError } from '../engine/native_result';
import { LinkedAbort, unlessAborted } from './abort';
import type { BackOff } from './back_off';
import { late } from './errors';
import type { RemoteEngine } from './remote_engine';

/** The part of the limit after which the local engine begins. */
const HEAD_START = 1 / 2;
/** Of a prompt, tokens: a server reads them in the time of a few on a laptop. */
export const REMOTE_PROMPT_TOKENS = 2_048;

type Line = Pick<RemoteEngine, 'connect' | 'host'> & GenerationEngine;

/** A remote engine in use. */
export interface Remote {
  readonly engine: Line;
  readonly prompts: PromptWriter;
  readonly backOff: BackOff;
  /** A suggestion has to be there within this, of a longer text the beginning, ms. */
  readonly timeoutMs: number;
}

export interface RemoteFirstParts {
  readonly local: Asking<GenerationEngine>;
  /** Undefined: none was chosen, or it may not be used. */
  readonly remote: () => Remote | undefined;
  /** Whether the text of a document may leave the machine. */
  readonly mayLeave: (document: DocumentSnapshot) => boolean;
  /** Called when the remote engine answered or failed. */
  readonly changed?: () => void;
}

type Attempt = { readonly reply: Reply } | { readonly error: NativeError };

export class RemoteFirst implements Asking<GenerationEngine> {
  private readonly parts: RemoteFirstParts;
  /** Texts that grow elsewhere. */
  private texts = 0;

  constructor(parts: RemoteFirstParts) {
    this.parts = parts;
  }

  /** Where one can answer, somebody can be asked. */
  get state(): EngineState {
    const { remote, local } = this.parts;
    const chosen = remote();
    return chosen === undefined || chosen.backOff.pausedMs > 0 ? local.state : 'ready';
  }

  get generating(): boolean {
    return this.texts > 0 || this.parts.local.generating === true;
  }

  async ask(question: Question<GenerationEngine>): Promise<Reply> {
    const { place } = question;
    const remote = this.parts.remote();
    const isOurs = place.constraint !== undefined || question.namesTokens === true;
    if (remote === undefined || isOurs || !this.parts.mayLeave(place.document))
      return this.parts.local.ask(question);
    if (remote.backOff.pausedMs > 0) return this.parts.local.ask(question);
    return question.onText === undefined
      ? this.race(remote, question)
      : this.text(remote, question, question.onText);
  }

  forget(uri: string): void {
    this.parts.local.forget(uri);
    this.parts.remote()?.prompts.forget(uri);
  }

  reset(): void {
    this.parts.local.reset();
    this.parts.remote()?.prompts.reset();
  }

  private get hasLocal(): boolean {
    return this.parts.local.state === 'ready';
  }

  /** A suggestion, which nobody sees before it is whole: both may be under way. */
  private race(remote: Remote, question: Question<GenerationEngine>): Promise<Reply> {
    const { signal } = question;
    const { engine, timeoutMs, backOff } = remote;
    const { local } = this.parts;
    return new Promise((resolve) => {
      const away = new LinkedAbort(signal);
      const near = new LinkedAbort(signal);
      let begun = false;
      let isLocalsTurn = backOff.doubted;
      let localReply: Reply | undefined;
      const settle = (reply: Reply): void => {
        clearTimeout(headStart);
        near.abort();
        resolve(reply);
      };
      const begin = (): void => {
        if (begun) return;
        begun = true;
        void local.ask({ ...question, signal: near.signal }).then((reply) => {
          localReply = reply;
          if (isLocalsTurn || signal.aborted) settle(reply);
        });
      };
      const stepIn = (): void => {
        isLocalsTurn = true;
        begin();
        if (localReply !== undefined) settle(localReply);
      };
      const headStart = setTimeout(() => {
        if (this.hasLocal) begin();
      }, timeoutMs * HEAD_START);
      const limit = setTimeout(() => {
        // Without another engine a late answer is better than none.
        if (!this.hasLocal) return;
        this.note(remote, late(engine.host, timeoutMs));
        away.abort();
        stepIn();
      }, timeoutMs);
      // Nobody waits for one that is doubted; that it is back shows meanwhile.
      if (isLocalsTurn && this.hasLocal) begin();
      void this.attempt(remote, question, away.signal, () => undefined).then((attempt) => {
        const isLate = away.signal.aborted && !signal.aborted;
        clearTimeout(limit);
        away.release();
        if (isLate) return;
        if ('reply' in attempt) {
          if (!signal.aborted) this.note(remote);
          settle(attempt.reply);
          return;
        }
        if (!signal.aborted) this.note(remote, attempt.error);
        if (this.hasLocal) stepIn();
        else settle({ answer: { ok: false, error: attempt.error }, engine, remote: true });
      });
    });
  }

  /** A text that somebody watches grow: who has begun it goes on alone. */
  private async text(
    remote: Remote,
    question: Question<GenerationEngine>,
    onText: (piece: string) => void,
  ): Promise<Reply> {
    const { engine, timeoutMs } = remote;
    const { signal } = question;
    const away = new LinkedAbort(signal);
    const seen = { text: false };
    const limit = setTimeout(() => {
      if (!seen.text && this.hasLocal) away.abort();
    }, timeoutMs);
    this.texts++;
    const attempt = await this.attempt(remote, question, away.signal, (piece) => {
      seen.text = true;
      onText(piece);
    });
    this.texts--;
    clearTimeout(limit);
    away.release();
    if (signal.aborted && 'reply' in attempt) return attempt.reply;
    const isLate = away.signal.aborted;
    const error = isLate ? late(engine.host, timeoutMs) : 'error' in attempt ? attempt.error : undefined;
    if (!signal.aborted) this.note(remote, error);
    if (error === undefined && 'reply' in attempt) return attempt.reply;
    if (!seen.text && this.hasLocal) return this.parts.local.ask(question);
    return { answer: { ok: false, error: error ?? late(engine.host, timeoutMs) }, engine, remote: true };
  }

  /** What comes of asking the remote engine alone. */
  private async attempt(
    { engine, prompts }: Remote,
    { place, send }: Question<GenerationEngine>,
    signal: AbortSignal,
    onText: (piece: string) => void,
  ): Promise<Attempt> {
    // Who gives up does not wait for what is found out there.
    const connected = await unlessAborted(engine.connect(), signal);
    if (connected?.ok === false) return { error: connected.error };
    const answer: EngineAnswer = await ask(prompts, forElsewhere(place), (request) =>
      send(engine, request, signal, onText),
    );
    return answer.ok ? { reply: { answer, engine, remote: true } } : { error: answer.error };
  }

  private note({ backOff }: Remote, error?: NativeError): void {
    if (error?.code === 'CANCELLED') return;
    if (error === undefined) backOff.succeeded();
    else backOff.failed(error);
    this.parts.changed?.();
  }
}

/** The clipboard stays here. Nor are drafts looked up elsewhere, nor texts remembered. */
export function forElsewhere({ document, options, snippets, rests }: Place): Place {
  const promptTokens = options.promptTokens > 0 ? options.promptTokens : REMOTE_PROMPT_TOKENS;
  return { document, options: { ...options, promptTokens }, snippets, rests };
}
