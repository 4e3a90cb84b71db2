/** `kv-cache`: what the types of a KV cache take of memory and time, one beside the other. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { integer, ROOT } from '../cli/engine_options';
import { Failure, valueOf } from '../cli/failure';
import { addonPath, embeddedModelPath, loadAddon } from '../core/engine/binding';
import { Engine } from '../core/engine/engine';
import { SEVERAL_LINES } from '../core/engine/engine_request';
import { KV_CACHES, kvBytesAPosition, type KvCache, kvCacheBytes } from '../core/engine/kv_cache';
import type { NativeOutline } from '../core/engine/native_inspection';
import { promptOf, singleTokenWords } from './prompt_text';
import { besideRow, ownRow, reportOf, reportText, type Row } from './report';
import { median } from './statistics';

interface KvCacheArguments {
  readonly model?: string;
  readonly threads: number;
  readonly depth: number;
  readonly rounds: number;
  readonly json: boolean;
}

/** Tokens of a completion that is timed. */
const TOKENS = 32;
/** Of fewer the time says little. */
const LEAST_TOKENS = 8;
/** Contexts whose memory is counted. */
const CONTEXTS = [2_048, 8_192];

export function addKvCacheSuite(program: Command): void {
  program
    .command('kv-cache')
    .description(
      'a KV cache of q8_0, in the column of ours, beside one of f16 as the peer: memory, and decoding far into a context',
    )
    .option('--model <file>', 'a GGUF file or a model folder (default: the embedded model)')
    .option('--threads <n>', 'compute threads; 0: as many as pay', integer(0, 64), 0)
    .option('--depth <n>', 'tokens before those that are timed', integer(1, 1_000_000), 4_096)
    .option('--rounds <n>', 'times that each is measured, in turn', integer(1, 1_000), 11)
    .option('--json', 'print the rows as JSON', false)
    .action(async (options: KvCacheArguments) => {
      console.log(reportText(reportOf('kv-cache', await rowsOf(options)), options));
    });
}

async function rowsOf(options: KvCacheArguments): Promise<Row[]> {
  const modelPath = options.model === undefined ? embeddedModelPath(ROOT) : resolve(options.model);
  const addon = valueOf(loadAddon(addonPath(ROOT)));
  const { outline } = valueOf(await addon.inspect(modelPath));
  const memory = outline === undefined ? [] : memoryRows(outline);
  return [...memory, ...(await decodeRows(modelPath, options))];
}

function memoryRows({ kvCache, contextLength }: NativeOutline): Row[] {
  const beside = (name: string, bytes: (type: KvCache) => number): Row => {
    return besideRow({ name, unit: 'bytes', ours: bytes('q8_0'), peer: bytes('f16') }, 'lower');
  };
  return [
    beside('kv-cache/a-token', (type) => kvBytesAPosition(kvCache[type])),
    ...CONTEXTS.filter((context) => context <= contextLength).map((context) =>
      beside(`kv-cache/context-${context}`, (type) => kvCacheBytes(kvCache[type], context)),
    ),
  ];
}

/** In turn, so that whatever else the machine does hits both alike. */
async function decodeRows(modelPath: string, { threads, depth, rounds }: KvCacheArguments): Promise<Row[]> {
  const engines = new Map<KvCache, Engine>();
  try {
    for (const kvCache of KV_CACHES) {
      const context = depth + 2 * TOKENS;
      const options = {
        addonPath: addonPath(ROOT),
        modelPath,
        device: 'cpu',
        threads,
        context,
        kvCache,
      } as const;
      engines.set(kvCache, valueOf(await Engine.load(options)));
    }
    const [first] = engines.values();
    if (first === undefined) return [];
    const words = await singleTokenWords(async (text) => valueOf(await first.tokenize(text, false)).length);
    const prompt = promptOf(words, depth, 1).join('');
    const samples = new Map<KvCache, number[]>(KV_CACHES.map((type) => [type, []]));
    for (let round = 0; round <= rounds; round++) {
      // In turn, for neither to be always the first.
      const inTurn = round % 2 === 0 ? [...engines] : [...engines].toReversed();
      for (const [type, engine] of inTurn) {
        const ms = await tokenMs(engine, prompt);
        // The first one reads the prompt.
        if (round > 0) samples.get(type)?.push(ms);
      }
    }
    const rates = KV_CACHES.map((type) => 1_000 / median(samples.get(type) ?? []));
    const [peer = NaN, ours = NaN] = rates;
    // Of each round, since a round's two are hit alike.
    const ratios = (samples.get('q8_0') ?? []).map((ms, i) => (samples.get('f16')?.[i] ?? NaN) / ms);
    const name = `kv-cache/decode-at-${depth}`;
    return [
      besideRow({ name, unit: 'tok/s', ours, peer }, 'higher'),
      ownRow(`${name}-paired`, 'times as fast', median(ratios)),
    ];
  } finally {
    for (const engine of engines.values()) await engine.dispose();
  }
}

/** Milliseconds a token behind a prompt. Throws Failure. */
async function tokenMs(engine: Engine, prompt: string): Promise<number> {
  const { timings } = valueOf(await engine.complete({ ...SEVERAL_LINES, prompt, maxTokens: TOKENS }));
  if (timings.generatedTokens < LEAST_TOKENS) {
    throw new Failure({
      code: 'TEXT_TOO_SHORT',
      message: 'The model ends its text too soon; choose another --depth.',
    });
  }
  return (timings.totalMs - timings.firstTokenMs) / (timings.generatedTokens - 1);
}
