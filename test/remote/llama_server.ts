/** llama.cpp's own server as a process, with a model of ours. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from './certificate';

export interface LlamaServerOptions {
  /** The path of the program (scripts/setup/llama_server.mjs). */
  readonly program: string;
  /** A GGUF file. */
  readonly model: string;
  /** What it asks for; default: nothing. */
  readonly key?: string;
  /** Default: plain http. */
  readonly tls?: Certificate;
  /** Options of its own. */
  readonly args?: readonly string[];
}

/** What it says of a slot; the rest is not read here. */
export interface Slot {
  readonly is_processing: boolean;
  readonly next_token?: readonly { readonly n_decoded: number }[];
}

export interface LlamaServer {
  readonly url: string;
  /** All that it has written so far. */
  readonly log: () => string;
  /** Places of requests, each idle or at work. */
  readonly slots: () => Promise<readonly Slot[]>;
  readonly signal: (name: NodeJS.Signals) => void;
  /** Ends it, and waits for that. */
  readonly stop: () => Promise<void>;
}

/** Tokens of both slots together. */
const CONTEXT = 8_192;

/** Settles when it answers; rejects where it cannot be started, or ends before that. */
export async function startLlamaServer(options: LlamaServerOptions): Promise<LlamaServer> {
  const { program, model, key, tls, args = [] } = options;
  const folder = mkdtempSync(join(tmpdir(), 'llama-server-'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const child = spawn(
    program,
    [
      ...['--model', model, '--host', '127.0.0.1', '--port', '0', '--offline', '--no-ui'],
      ...['--ctx-size', String(CONTEXT), '--parallel', '2', '--slots', '--log-colors', 'off'],
      ...(key === undefined ? [] : ['--api-key', key]),
      ...(tls === undefined
        ? []
        : ['--ssl-key-file', file('key.pem', tls.key), '--ssl-cert-file', file('cert.pem', tls.cert)]),
      ...args,
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let log = '';
  // Whoever started it may leave without stopping it.
  const leave = (): void => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', leave);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const url = await new Promise<string>((resolve, reject) => {
    const read = (bytes: Buffer): void => {
      log += bytes.toString();
      const said = /listening on (https?:\/\/\S+)/.exec(log)?.[1];
      if (said !== undefined) resolve(said);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    void ended.then(() => reject(new Error(`llama-server ended before it was ready:\n${log}`)));
  }).catch((error: unknown) => {
    process.removeListener('exit', leave);
    rmSync(folder, { recursive: true });
    throw error;
  });
  const running = { ...options, url };
  return {
    url,
    log: () => log,
    slots: async () => JSON.parse(await get(running, '/slots')) as readonly Slot[],
    signal: (name) => child.kill(name),
    stop: async () => {
      await end(child, ended);
      process.removeListener('exit', leave);
      rmSync(folder, { recursive: true });
    },
  };
}

async function end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  // One that is stopped cannot hear anything else.
  child.kill('SIGKILL');
  await ended;
}

async function get(
  { url, key, tls }: Pick<LlamaServerOptions, 'key' | 'tls'> & { readonly url: string },
  path: string,
): Promise<string> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  if (tls === undefined) return (await fetch(url + path, { headers })).text();
  return new Promise((resolve, reject) => {
    httpsRequest(url + path, { headers, ca: tls.cert }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () => resolve(Buffer.concat(pieces).toString()));
    })
      .once('error', reject)
      .end();
  });
}

/** Settles once no slot is at work. */
export async function idle(server: LlamaServer): Promise<readonly Slot[]> {
  for (;;) {
    const slots = await server.slots();
    if (slots.every((slot) => !slot.is_processing)) return slots;
  }
}
