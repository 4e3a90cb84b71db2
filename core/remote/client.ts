/** Speaks HTTP with one remote engine. Closing the connection is how a server learns that nobody waits any more: whatever ends early closes it. */
import { type Answer, open, readText } from '../http/connection';
import { objectOf } from '../http/json_values';
import { reasonOf } from '../http/reason';
import type { NativeError, NativeResult } from '../engine/native_result';
import { addressOf, type Endpoint } from './endpoint';
import { brokenAnswer, isTooLong, keyNotSent, statusError, tooLong, unreachable } from './errors';
import { EventStream } from './event_stream';
import type { Post } from './protocol';

/** A server that says nothing for so long is gone, ms. What waits for a suggestion has a limit of its own. */
const IDLE_MS = 30_000;
/** Longer than any list of models, and than an answer that is not streamed, bytes. */
const MOST_BYTES = 4 * 1_048_576;

export interface ClientOptions {
  readonly endpoint: Endpoint;
  /** Undefined: none is sent. It is asked for each time, so that nobody else keeps it. */
  readonly key: () => string | undefined;
  /** Certificates in PEM that are trusted beside the usual ones. */
  readonly ca?: string | undefined;
}

/** How a stream came to its end: `stopped` by who listened. */
type StreamEnd = 'ended' | 'stopped';

export class RemoteClient {
  private readonly options: ClientOptions;

  constructor(options: ClientOptions) {
    this.options = options;
  }

  get host(): string {
    return this.options.endpoint.host;
  }

  /** The JSON at a path. Never rejects. */
  async getJson(path: string, signal: AbortSignal): Promise<NativeResult<unknown>> {
    return this.ask<unknown>(path, undefined, signal, async (answer) => {
      const text = await readText(answer, MOST_BYTES);
      if (text === undefined) return this.broken('it is too long');
      return { ok: true, value: JSON.parse(text) as unknown };
    });
  }

  /**
   * Sends a request and hands on each event of the answer, parsed; one that is not streamed is a single event. Never rejects.
   * @param onEvent Says whether more is wanted; if not, the connection is closed.
   */
  async post(
    { path, body }: Post,
    signal: AbortSignal,
    onEvent: (event: unknown) => boolean,
  ): Promise<NativeResult<StreamEnd>> {
    return this.ask(path, JSON.stringify(body), signal, (answer) => this.events(answer, onEvent));
  }

  private async events(
    answer: Answer,
    onEvent: (event: unknown) => boolean,
  ): Promise<NativeResult<StreamEnd>> {
    if (!/^text\/event-stream/i.test(answer.headers['content-type'] ?? '')) {
      const text = await readText(answer, MOST_BYTES);
      if (text === undefined) return this.broken('it is too long');
      return this.event(text, onEvent) ?? { ok: true, value: 'ended' };
    }
    return this.streamed(answer, onEvent);
  }

  private streamed({ body }: Answer, onEvent: (event: unknown) => boolean): Promise<NativeResult<StreamEnd>> {
    return new Promise((resolve, reject) => {
      const stream = new EventStream();
      const take = (events: readonly string[]): void => {
        try {
          for (const event of events) {
            const end = this.event(event, onEvent);
            if (end === undefined) continue;
            body.off('data', onData);
            resolve(end);
            return;
          }
          if (stream.overflowed) resolve(this.broken('an event is too long'));
        } catch (error) {
          reject(error instanceof Error ? error : new Error('not readable'));
        }
      };
      const onData = (bytes: Buffer): void => take(stream.add(bytes));
      body.on('data', onData);
      body.on('error', reject);
      body.once('close', () => reject(new Error('closed')));
      body.once('end', () => {
        take(stream.end());
        resolve({ ok: true, value: 'ended' });
      });
    });
  }

  /** Undefined: more is wanted. */
  private event(text: string, onEvent: (event: unknown) => boolean): NativeResult<StreamEnd> | undefined {
    if (text.trim() === '[DONE]') return { ok: true, value: 'ended' };
    const event = JSON.parse(text) as unknown;
    if (objectOf(event)['error'] !== undefined) return this.broken('the server reports an error');
    return onEvent(event) ? undefined : { ok: true, value: 'stopped' };
  }

  private broken(reason: string): NativeResult<never> {
    return { ok: false, error: brokenAnswer(this.host, reason) };
  }

  /** Opens, judges the status, reads, and closes whatever is left open. */
  private async ask<T>(
    path: string,
    body: string | undefined,
    signal: AbortSignal,
    read: (answer: Answer) => Promise<NativeResult<T>>,
  ): Promise<NativeResult<T>> {
    const { endpoint, ca } = this.options;
    let answer: Answer | undefined;
    let isWhole = false;
    try {
      const headers = this.headers(body !== undefined);
      answer = await open(addressOf(endpoint, path), {
        headers,
        signal,
        idleMs: IDLE_MS,
        ca,
        ...(body === undefined ? {} : { body }),
      });
      const { status } = answer;
      if (status !== 200) return { ok: false, error: await this.refusal(answer) };
      const result = await read(answer);
      isWhole = result.ok && result.value !== 'stopped';
      return result;
    } catch (error) {
      if (signal.aborted) return { ok: false, error: CANCELLED };
      if (error instanceof SyntaxError) return this.broken('it is no JSON');
      if (answer !== undefined) return this.broken('the connection broke');
      return { ok: false, error: unreachable(this.host, reasonOf(error)) };
    } finally {
      // What is left of one that is over leaves the connection for the next request.
      if (isWhole) answer?.body.resume();
      else answer?.body.destroy();
    }
  }

  /** What a server says of a refusal is read for one thing alone: whether the text was too long for its model. */
  private async refusal(answer: Answer): Promise<NativeError> {
    const { status, headers } = answer;
    const isOfRequest = status === 400 || status === 413 || status === 422;
    if (isOfRequest && isTooLong(await readText(answer, MOST_BYTES))) return tooLong(this.host, status);
    const error = statusError(this.host, status, headers['retry-after']);
    return error.code === 'REMOTE_KEY' && !this.options.endpoint.safe
      ? { ...error, ...keyNotSent(this.host) }
      : error;
  }

  private headers(sends: boolean): Readonly<Record<string, string>> {
    const { endpoint, key } = this.options;
    const secret = key();
    // Where others can read along, a key is worth nothing any more.
    const authorization = secret === undefined || !endpoint.safe ? {} : { authorization: `Bearer ${secret}` };
    const type = sends ? { 'content-type': 'application/json' } : {};
    return {
      accept: sends ? 'text/event-stream, application/json' : 'application/json',
      ...type,
      ...authorization,
    };
  }
}

/** Whoever aborts knows why; nobody reads this. */
export const CANCELLED: NativeError = {
  code: 'CANCELLED',
  message: 'The request to the remote engine was cancelled.',
};

/** The status of a refusal, where an error is one. */
export function statusOf(error: NativeError): number | undefined {
  return 'status' in error && typeof error.status === 'number' ? error.status : undefined;
}
