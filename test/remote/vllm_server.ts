/** vLLM's own server as a process, with a model of ours. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

export interface VllmServerOptions {
  /** The Python of an environment that has vLLM. */
  readonly python: string;
  /** A folder of Hugging Face's. */
  readonly model: string;
  /** How requests name it. */
  readonly name: string;
  /** What it asks for. */
  readonly key: string;
  /** Most tokens of prompt and completion together. */
  readonly length: number;
}

export interface VllmServer {
  readonly url: string;
  /** How many requests are under way, as its metrics have it. */
  readonly running: () => Promise<number>;
  /** Ends it, and waits for that. */
  readonly stop: () => Promise<void>;
}

/** Nothing is fetched, and nothing told. */
const ENVIRONMENT = {
  HF_HUB_OFFLINE: '1',
  TRANSFORMERS_OFFLINE: '1',
  VLLM_NO_USAGE_STATS: '1',
  DO_NOT_TRACK: '1',
  VLLM_CPU_KVCACHE_SPACE: '1',
};

/** Settles when it answers; rejects with what it has written where it ends before. */
export async function startVllmServer({
  python,
  model,
  name,
  key,
  length,
}: VllmServerOptions): Promise<VllmServer> {
  const port = await freePort();
  const child = spawn(
    python,
    [
      ...['-m', 'vllm.entrypoints.openai.api_server', '--host', '127.0.0.1', '--port', String(port)],
      ...['--model', model, '--served-model-name', name, '--api-key', key],
      ...['--dtype', 'float32', '--max-model-len', String(length), '--enforce-eager'],
    ],
    // Of its own group: its engine is a process beside it.
    { env: { ...process.env, ...ENVIRONMENT }, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  let log = '';
  const read = (bytes: Buffer): void => void (log += bytes.toString());
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const ended = once(child, 'exit');
  const kill = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', kill);
  void ended.then(() => process.removeListener('exit', kill));
  const url = `http://127.0.0.1:${port}`;
  const gone = ended.then(() => Promise.reject(new Error(`vLLM ended before it was ready:\n${log}`)));
  const over = new AbortController();
  try {
    await Promise.race([answers(url, over.signal).then(() => warmUp(url, name, key)), gone]);
  } catch (error) {
    kill();
    throw error;
  } finally {
    over.abort();
  }
  gone.catch(() => undefined);
  return {
    url,
    running: async () => {
      const page = await (await fetch(`${url}/metrics`)).text();
      return Number(/^vllm:num_requests_running\{[^}]*\} (\S+)$/m.exec(page)?.[1]);
    },
    stop: async () => {
      kill();
      await ended;
    },
  };
}

async function answers(url: string, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const isReady = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** What it compiles for its first request can take longer than a client waits. */
async function warmUp(url: string, model: string, key: string): Promise<void> {
  const answer = await fetch(`${url}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, prompt: 'x', max_tokens: 2 }),
  });
  if (!answer.ok) throw new Error(`vLLM answers with status ${answer.status}.`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
