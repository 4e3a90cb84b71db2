/** A completion server on this machine that speaks as the real ones were recorded to, and does what networks and servers do besides. */
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Certificate } from './certificate';
import { listenHere } from './loopback';

export type Kind = 'llama-server' | 'vllm' | 'ollama' | 'plain';

/** A token with its probability, and what could have come instead. */
export interface SaidToken {
  readonly text: string;
  readonly probability: number;
  readonly others?: Readonly<Record<string, number>>;
}

/** What is said to a prompt. */
export interface Say {
  /** Texts come without probabilities. */
  readonly tokens: readonly (string | SaidToken)[];
  readonly stop?: 'eos' | 'word' | 'limit';
  /** Says nothing more behind the tokens until the connection is closed. */
  readonly hold?: boolean;
  /** Ends the answer behind the tokens without a word on why. */
  readonly cut?: boolean;
  /** Breaks the connection behind the tokens. */
  readonly dies?: boolean;
  /** Breaks the connection before a word. */
  readonly down?: boolean;
  /** An answer with this status in place of all that. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What that answer says. */
  readonly error?: Readonly<Record<string, unknown>>;
}

export interface Asked {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
  /** Settles when the other side closed the connection before the answer's end. */
  readonly closed: Promise<void>;
}

export interface StandIn {
  readonly url: string;
  /** What was sent with a body. */
  readonly asked: readonly Asked[];
  /** Paths that were looked at. */
  readonly looked: readonly string[];
  /** What it says next, to each request. */
  say: (asked: Asked) => Say;
  /** Whether `/infill` is known to its model. */
  infill: boolean;
  /** The one that it has; empty: it lists none. */
  model: string;
  /** What it lists behind that one. */
  others: readonly string[];
  /** The one it accepts; undefined: it does not ask. */
  key: string | undefined;
  readonly stop: () => Promise<void>;
}

export const MODEL = 'Qwen2.5-Coder-7B';

export async function startStandIn(kind: Kind, tls?: Certificate): Promise<StandIn> {
  const asked: Asked[] = [];
  const looked: string[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void serve(request, response);
  const server: Server = tls === undefined ? createPlainServer(listener) : createTlsServer(tls, listener);
  const { host, stop } = await listenHere(server);
  const standIn = {
    url: `http${tls === undefined ? '' : 's'}://${host}`,
    asked,
    looked,
    say: (): Say => ({ tokens: ['a + b'], stop: 'eos' }),
    infill: true,
    model: MODEL,
    others: [],
    key: undefined,
    stop,
  } as StandIn;
  return standIn;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '', headers, method } = request;
    if (standIn.key !== undefined && headers.authorization !== `Bearer ${standIn.key}`) {
      refuse(response, 401);
      return;
    }
    if (method === 'GET') {
      looked.push(path);
      const page = pageOf(kind, path, standIn);
      if (page === undefined) {
        refuse(response, 404);
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page));
      return;
    }
    const body = JSON.parse(await textOf(request)) as Record<string, unknown>;
    const closed = new Promise<void>((resolve) => {
      response.on('close', () => {
        if (!response.writableFinished) resolve();
      });
    });
    const one: Asked = { path, body, headers, closed };
    if (path === '/infill' && !standIn.infill) {
      refuse(response, 501);
      return;
    }
    // The question whether there is an infill holds no text.
    if (body['input_prefix'] === '' && body['n_predict'] === 1) {
      looked.push(path);
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ content: '', stop: true }));
      return;
    }
    asked.push(one);
    answer(response, path, standIn.say(one));
  }
}

function refuse(response: ServerResponse, status: number): void {
  const message = 'Refused; what was sent may be quoted here.';
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error: { message } }));
}

function answer(response: ServerResponse, path: string, said: Say): void {
  if (said.down === true) {
    response.destroy();
    return;
  }
  if (said.status !== undefined) {
    response
      .writeHead(said.status, { 'content-type': 'application/json', ...said.headers })
      .end(JSON.stringify({ error: said.error ?? {} }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = path.startsWith('/v1/') ? openaiEvents : llamaEvents;
  const send = (event: unknown): void => {
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  };
  for (const token of said.tokens) send(write.token(token));
  if (said.dies === true) response.write(':\n', () => response.destroy());
  if (said.dies === true || said.hold === true) return;
  if (said.cut === true) {
    response.end();
    return;
  }
  for (const event of write.end(said)) send(event);
  response.end(path.startsWith('/v1/') ? 'data: [DONE]\n\n' : undefined);
}

interface Events {
  readonly token: (token: string | SaidToken) => unknown;
  readonly end: (said: Say) => readonly unknown[];
}

const log = (probability: number): number => Math.log(probability);

/** As llama-server sends it. */
const llamaEvents: Events = {
  token: (token) => {
    if (typeof token === 'string') return { index: 0, content: token, tokens: [1], stop: false };
    const { text, probability, others = {} } = token;
    const top = Object.entries({ [text]: probability, ...others });
    const rated = {
      id: 1,
      token: text,
      bytes: [...Buffer.from(text)],
      logprob: log(probability),
      top_logprobs: top.map(([other, one]) => ({ id: 1, token: other, bytes: [], logprob: log(one) })),
    };
    return { index: 0, content: text, tokens: [1], stop: false, completion_probabilities: [rated] };
  },
  end: ({ stop = 'eos', tokens }) => [
    {
      index: 0,
      content: '',
      stop: true,
      stop_type: stop,
      stopping_word: stop === 'word' ? '\n' : '',
      tokens_evaluated: 40,
      tokens_predicted: tokens.length,
      timings: { prompt_n: 8, prompt_ms: 3, predicted_n: tokens.length },
    },
  ],
};

/** As vLLM sends it. */
const openaiEvents: Events = {
  token: (token) => {
    const choice = { index: 0, finish_reason: null, stop_reason: null };
    if (typeof token === 'string')
      return { object: 'text_completion', choices: [{ ...choice, text: token, logprobs: null }] };
    const { text, probability, others = {} } = token;
    const top = Object.fromEntries(
      Object.entries({ [text]: probability, ...others }).map(([key, one]) => [key, log(one)]),
    );
    const logprobs = {
      text_offset: [0],
      tokens: [text],
      token_logprobs: [log(probability)],
      top_logprobs: [top],
    };
    return { object: 'text_completion', choices: [{ ...choice, text, logprobs }] };
  },
  end: ({ stop = 'eos', tokens }) => [
    {
      object: 'text_completion',
      choices: [
        {
          index: 0,
          text: '',
          logprobs: null,
          finish_reason: stop === 'limit' ? 'length' : 'stop',
          stop_reason: stop === 'word' ? '\n' : null,
        },
      ],
    },
    {
      object: 'text_completion',
      choices: [],
      usage: {
        prompt_tokens: 40,
        completion_tokens: tokens.length,
        prompt_tokens_details: { cached_tokens: 32 },
      },
    },
  ],
};

function pageOf(kind: Kind, path: string, { model, others }: StandIn): unknown {
  if (path === '/v1/models') {
    const owner = { 'llama-server': 'llamacpp', vllm: 'vllm', ollama: 'library', plain: '' }[kind];
    const length = kind === 'vllm' ? { max_model_len: 8_192 } : {};
    const ids = [model, ...others].filter((id) => id !== '');
    return {
      object: 'list',
      data: ids.map((id) => ({ id, object: 'model', owned_by: owner, ...length })),
    };
  }
  if (path === '/props' && kind === 'llama-server')
    return { default_generation_settings: { n_ctx: 4_096 }, total_slots: 4 };
  return undefined;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}
