/**
 * An engine on another machine, as the completion pipeline asks any engine: it has a way to read what follows the cursor, takes requests and gives answers.
 *
 * What it cannot: grammars of ours, forks (its tokens have no ids here). Tokens are healed by text (prompt_text.ts), by llama.cpp's server under a grammar; how sure it was is what the server
 * says, or a guess (answer_text.ts).
 */
import type { EngineState, GenerationEngine } from '../completion/engine_port';
import { type EngineAnswer, type EngineRequest, SEVERAL_LINES } from '../engine/engine_request';
import type { NativeError, NativeResult } from '../engine/native_result';
import { type NativeCompletion, type NativeFim, NO_COMPLETION, NO_TIMINGS } from '../engine/native_types';
import { LinkedAbort, unlessAborted } from './abort';
import { AnswerText } from './answer_text';
import { CANCELLED, RemoteClient, type ClientOptions, statusOf } from './client';
import { brokenAnswer, late } from './errors';
import { withoutControlTokens } from './families';
import { completionPost, infillPost, llamaPiece } from './llama_server';
import { openaiPiece, openaiPost } from './openai';
import type { RemoteCounts } from './pieces';
import { type Attempt, attemptsFor, infillParts, promptTextOf } from './prompt_text';
import type { Post, ReadPiece } from './protocol';
import { lookAt, type RemoteServer, type ServerChoices } from './server';

/** A server reads prompts so fast that its speed bounds nothing here: the time limit does. */
const SPEED: { readonly prefillTokensPerSecond: number } = { prefillTokensPerSecond: 10_000 };

/** A server has to say what it is within this, ms. */
const LOOK_MS = 10_000;

export interface RemoteOptions extends ClientOptions {
  readonly choices: ServerChoices;
}

/** Errors of a server that may come back as another. */
const GONE: ReadonlySet<NativeError['code']> = new Set(['REMOTE_MODEL', 'REMOTE_UNREACHABLE']);

/** What one attempt came to. */
type Tried = 'mismatch' | NativeCompletion | NativeError;

export class RemoteEngine implements GenerationEngine {
  readonly speed = SPEED;
  private readonly client: RemoteClient;
  private readonly choices: ServerChoices;
  private readonly closing = new AbortController();
  private found: RemoteServer | undefined;
  /** Whether something else may be there by now; until it is looked at again, what was found counts. */
  private doubted = false;
  private looking: Promise<NativeResult<RemoteServer>> | undefined;
  /** Whether the server takes all that a request may say. */
  private more = true;

  constructor({ choices, ...options }: RemoteOptions) {
    this.client = new RemoteClient(options);
    this.choices = choices;
  }

  get host(): string {
    return this.client.host;
  }

  get state(): EngineState {
    return this.found === undefined ? 'loading' : 'ready';
  }

  /** What is there, once it was looked at. */
  get server(): RemoteServer | undefined {
    return this.found;
  }

  get fim(): NativeFim | undefined {
    return this.found?.fim;
  }

  get context(): number | undefined {
    return this.found?.context;
  }

  /**
   * Looks at what is there, once; again after a failure, and where a request did not find it. Whoever asks first may give up sooner than those behind it: it goes on for them. Nothing of a
   * document is sent. Never rejects.
   */
  async connect(): Promise<NativeResult<RemoteServer>> {
    if (this.found !== undefined && !this.doubted) return { ok: true, value: this.found };
    this.looking ??= this.look().finally(() => (this.looking = undefined));
    return this.looking;
  }

  /** Closes what is open: whoever waits gets CANCELLED. */
  dispose(): void {
    this.closing.abort();
  }

  private async look(): Promise<NativeResult<RemoteServer>> {
    const limit = AbortSignal.timeout(LOOK_MS);
    const result = await lookAt(this.client, this.choices, AbortSignal.any([limit, this.closing.signal]));
    if (result.ok) {
      // What one model's server refuses another's may take.
      if (result.value.model !== this.found?.model) this.more = true;
      this.found = result.value;
      this.doubted = false;
    } else if (limit.aborted) return { ok: false, error: late(this.host, LOOK_MS) };
    return result;
  }

  complete(request: EngineRequest, signal: AbortSignal): Promise<EngineAnswer> {
    return this.ask(request, signal, () => undefined);
  }

  generate(
    request: EngineRequest,
    signal: AbortSignal,
    onText: (piece: string) => void,
  ): Promise<EngineAnswer> {
    return this.ask({ ...request, ...SEVERAL_LINES }, signal, onText);
  }

  /** What is sent for a request, as it is sent first; undefined before it is known what is there. */
  postFor(request: EngineRequest): Post | undefined {
    const [attempt] = attemptsFor(request.prompt, request.requiredPrefix ?? '');
    if (this.found === undefined || attempt === undefined) return undefined;
    return this.written(this.found, attempt, request, stopsFor(this.found, request)).post;
  }

  private async ask(
    request: EngineRequest,
    signal: AbortSignal,
    onText: (piece: string) => void,
  ): Promise<EngineAnswer> {
    const open = new LinkedAbort(signal, this.closing.signal);
    const answer = await this.answer(request, open.signal, onText);
    open.release();
    return this.closing.signal.aborted && !signal.aborted ? { ok: false, error: CANCELLED } : answer;
  }

  private async answer(
    request: EngineRequest,
    signal: AbortSignal,
    onText: (piece: string) => void,
  ): Promise<EngineAnswer> {
    const connected = await unlessAborted(this.connect(), signal);
    if (connected === undefined || signal.aborted)
      return { ok: true, value: cancelled('', performance.now()) };
    if (!connected.ok) return connected;
    const started = performance.now();
    for (const attempt of attemptsFor(request.prompt, request.requiredPrefix ?? '')) {
      const tried = await this.attempt(connected.value, attempt, request, signal, onText, started);
      if (tried === 'mismatch') continue;
      if (!('code' in tried)) return { ok: true, value: tried };
      if (GONE.has(tried.code) && connected.value === this.found) this.doubted = true;
      return { ok: false, error: tried };
    }
    return { ok: true, value: { ...cancelled('', started), stop: 'end_token' } };
  }

  /** Asks once; again with less where the server refuses what it does not know. */
  private async attempt(
    server: RemoteServer,
    attempt: Attempt,
    request: EngineRequest,
    signal: AbortSignal,
    onText: (piece: string) => void,
    started: number,
  ): Promise<Tried> {
    const { singleLine = true, leastConfidence = 0 } = request;
    const ends = server.family?.ends ?? [];
    const wanted = { required: attempt.required, singleLine, leastConfidence, ends };
    const answer = new AnswerText(wanted);
    let firstTokenMs = 0;
    let counts: RemoteCounts | undefined;
    const seen = { mismatch: false };
    const tell = (): void => {
      const piece = answer.begins ? answer.untold() : '';
      if (piece !== '') onText(piece);
    };
    const { post, read } = this.written(server, attempt, request, stopsFor(server, request));
    const result = await this.client.post(post, signal, (event) => {
      const piece = read(event);
      counts = piece.counts ?? counts;
      const over = answer.stop !== undefined;
      if (!over && piece.text !== '' && firstTokenMs === 0) firstTokenMs = performance.now() - started;
      const verdict = answer.add(piece);
      seen.mismatch = verdict === 'mismatch';
      if (!seen.mismatch) tell();
      // The server's own end comes with what it counted, perhaps an event later; one that is not at its end is told by closing the connection.
      return (
        verdict === 'more' || (!seen.mismatch && piece.stop !== undefined) || (over && piece.text === '')
      );
    });
    if (signal.aborted) return cancelled(answer.begins ? answer.text : '', started);
    if (!result.ok) {
      const status = result.error.code === 'CONTEXT_OVERFLOW' ? undefined : statusOf(result.error);
      if (this.more && server.protocol === 'openai' && (status === 400 || status === 422)) {
        this.more = false;
        const less = await this.attempt(server, attempt, request, signal, onText, started);
        // It was something else that was refused.
        if (less !== 'mismatch' && 'code' in less) this.more = true;
        return less;
      }
      return result.error;
    }
    if (seen.mismatch) return 'mismatch';
    const { stop } = answer;
    if (stop === undefined) return brokenAnswer(this.host, 'it ended before the text did');
    tell();
    const totalMs = performance.now() - started;
    const timings = { ...NO_TIMINGS, ...counts, firstTokenMs, totalMs, prefillMs: firstTokenMs };
    return { ...NO_COMPLETION, ...answer.rates(), text: answer.text, stop, timings };
  }

  private written(
    { protocol, model, family, laysOut }: RemoteServer,
    { parts, required }: Attempt,
    request: EngineRequest,
    stop: readonly string[],
  ): { readonly post: Post; readonly read: ReadPiece } {
    const infill = laysOut ? infillParts(parts) : undefined;
    if (protocol === 'llama-server') {
      const asked = { request, stop, required };
      const post =
        infill === undefined ? completionPost(promptTextOf(parts, family), asked) : infillPost(infill, asked);
      return { post, read: llamaPiece };
    }
    const text = infill === undefined ? promptTextOf(parts, family) : withoutControlTokens(infill.prefix);
    // A server with templates of its own takes a prompt without a suffix for a chat.
    const suffix = laysOut ? withoutControlTokens(infill?.suffix ?? '') : undefined;
    const post = openaiPost(text, suffix, model, request, stop, { more: this.more });
    return { post, read: openaiPiece };
  }
}

function stopsFor({ family }: RemoteServer, { singleLine = true }: EngineRequest): readonly string[] {
  return [...(singleLine ? ['\n'] : []), ...(family?.ends ?? [])];
}

function cancelled(text: string, started: number): NativeCompletion {
  const totalMs = performance.now() - started;
  return { ...NO_COMPLETION, text, timings: { ...NO_TIMINGS, totalMs, cancelPhase: 'decode' } };
}
