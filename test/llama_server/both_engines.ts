/** The engine of this machine and one elsewhere, as the extension puts them together, and places to ask at. */
import { appendFileSync } from 'node:fs';
import { afterEach } from 'vitest';
import { OneEngine, type Question, type Reply } from '../../core/completion/asking';
import { type DocumentSnapshot, snapshotOfText } from '../../core/completion/document';
import type { GenerationEngine } from '../../core/completion/engine_port';
import { fimLayout } from '../../core/completion/fim_layout';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { prepare } from '../../core/completion/preparation';
import { PromptWriter } from '../../core/completion/prompt_writer';
import { Engine } from '../../core/engine/engine';
import type { EngineAnswer, EngineRequest } from '../../core/engine/engine_request';
import type { NativeCompletion, NativeFim } from '../../core/engine/native_types';
import { BackOff } from '../../core/remote/back_off';
import { endpointOf } from '../../core/remote/endpoint';
import { RemoteEngine } from '../../core/remote/remote_engine';
import { noTimes, RemoteFirst } from '../../core/remote/remote_first';
import type { ServerChoices } from '../../core/remote/server';
import { ADDON, DEVICE, MODEL, valueOf } from '../integration/embedded_model';
import { type LlamaServer, type LlamaServerOptions, startLlamaServer } from '../remote/llama_server';

export const NEVER = new AbortController().signal;

/** With the embedded model; the stage `remote-server` compiles the program. */
export function startServer(
  options: Omit<LlamaServerOptions, 'program' | 'model'> = {},
): Promise<LlamaServer> {
  const program = process.env['EMBERLINE_LLAMA_SERVER'];
  if (program === undefined)
    throw new Error('Run `npm test -- --only remote-server`, which compiles the server.');
  return startLlamaServer({ program, model: MODEL, ...options });
}

export interface RemoteChoices extends Partial<ServerChoices> {
  readonly key?: string;
  readonly ca?: string;
}

export function remoteEngine({ url }: Pick<LlamaServer, 'url'>, choices: RemoteChoices = {}): RemoteEngine {
  const { key, ca, ...others } = choices;
  return new RemoteEngine({
    endpoint: valueOf(endpointOf(url)),
    key: () => key,
    ca,
    choices: { protocol: 'auto', model: '', fim: 'auto', ...others },
  });
}

/** @param threads 0: as many as the engine chooses. */
export async function localEngine(threads = 0): Promise<Engine> {
  return valueOf(await Engine.load({ addonPath: ADDON, modelPath: MODEL, device: DEVICE, threads }));
}

export function made(answer: EngineAnswer): NativeCompletion {
  return valueOf(answer);
}

/** Text on both sides of a cursor. */
export interface Around {
  readonly path: string;
  readonly languageId: string;
  readonly before: string;
  readonly after: string;
}

/** What an engine is asked there, without what it remembers of a document: a prompt as its model was taught, greedy. */
export function requestAt(
  { path, languageId, before, after }: Around,
  fim: NativeFim | undefined,
): EngineRequest {
  const layout = fimLayout(fim);
  const nextLine = after.indexOf('\n') + 1;
  const suffix = layout?.suffixStart === 'cursor' ? after : after.slice(nextLine);
  const texts = { path, languageId, prefix: before, suffix, snippets: [] };
  return { prompt: layout?.write(texts) ?? before, maxTokens: 40 };
}

export function documentAt({ path, languageId, before, after }: Around): DocumentSnapshot {
  return snapshotOfText({
    uri: `test:${path}`,
    path,
    languageId,
    text: before + after,
    offset: before.length,
  });
}

export interface Both {
  readonly first: RemoteFirst;
  readonly backOff: BackOff;
  /** This machine alone, which reads ahead where the cursor rests. */
  readonly alone: OneEngine<GenerationEngine>;
  readonly readAhead: (around: Around) => Promise<boolean>;
  /** Asks for a line, or, with `onText`, for several. */
  readonly ask: (around: Around, signal?: AbortSignal, onText?: (piece: string) => void) => Promise<Reply>;
}

export function both(local: Engine, engine: RemoteEngine, timeoutMs: number): Both {
  const backOff = new BackOff();
  const remote = { engine, prompts: new PromptWriter(engine), backOff, times: noTimes(), timeoutMs };
  const prompts = new PromptWriter(local);
  const alone = new OneEngine<GenerationEngine>(local, prompts);
  const first = new RemoteFirst({
    local: alone,
    remote: () => remote,
    mayLeave: () => true,
  });
  return {
    first,
    backOff,
    alone,
    readAhead: (around) =>
      prepare(local, prompts, DEFAULT_OPTIONS, { document: documentAt(around), signal: NEVER }),
    ask: (around, signal = NEVER, onText) => first.ask(questionAt(around, signal, onText)),
  };
}

/** A line, or, with `onText`, several. */
export function questionAt(
  around: Around,
  signal: AbortSignal,
  onText?: (piece: string) => void,
): Question<GenerationEngine> {
  return {
    place: { document: documentAt(around), options: DEFAULT_OPTIONS },
    signal,
    send: (asked, request, until, told) =>
      onText === undefined ? asked.complete(request, until) : asked.generate(request, until, told),
    ...(onText === undefined ? {} : { onText }),
  };
}

/** Figures that the stage prints, of several of one name the median and the 95th percentile: nobody judges them here. */
export function measured(name: string, ms: number): void {
  const file = process.env['EMBERLINE_LLAMA_SERVER_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ name, ms })}\n`);
}

export interface Ended {
  readonly servers: LlamaServer[];
  readonly engines: RemoteEngine[];
  readonly start: (options?: Parameters<typeof startServer>[0]) => Promise<LlamaServer>;
  readonly engineFor: (server: Pick<LlamaServer, 'url'>, choices?: RemoteChoices) => RemoteEngine;
}

/** Servers and engines of one file's tests; those that are in the lists when a test is over are ended. */
export function endedAfterEach(): Ended {
  const servers: LlamaServer[] = [];
  const engines: RemoteEngine[] = [];
  afterEach(async () => {
    for (const engine of engines.splice(0)) engine.dispose();
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  async function start(options?: Parameters<typeof startServer>[0]): Promise<LlamaServer> {
    const server = await startServer(options);
    servers.push(server);
    return server;
  }

  function engineFor(server: Pick<LlamaServer, 'url'>, choices?: RemoteChoices): RemoteEngine {
    const engine = remoteEngine(server, choices);
    engines.push(engine);
    return engine;
  }
  return { servers, engines, start, engineFor };
}
