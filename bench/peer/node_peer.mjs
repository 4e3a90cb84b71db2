/**
 * Times llama.cpp inside Node, through node-llama-cpp: MODEL THREADS cpu|metal, started with UV_THREADPOOL_SIZE=1 in the
 * environment.
 *
 * With more threads in libuv's pool, llama.cpp's own end up on one processor and it is two to three times slower than it
 * can be. Reads a request a line from standard input and answers each with a line of JSON; see bench/README.md. The package
 * is found from the folder this runs in.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const CONTEXT = 4096;
const BATCH = 512;
const FORWARD_REPEATS = 11;
const WARM_REPEATS = 5;

const [modelPath = '', threadCount = '1', device = 'cpu', openLater] = process.argv.slice(2);
const threads = Number(threadCount);

/** @param {object} answer */
const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);

const fromHere = createRequire(join(process.cwd(), 'package.json'));
const { getLlama, LlamaLogLevel } = await import(pathToFileURL(fromHere.resolve('node-llama-cpp')).href);

/** @type {any} */
const llama = await getLlama({
  gpu: device === 'metal' ? 'metal' : false,
  build: 'never',
  skipDownload: true,
  maxThreads: threads,
  logLevel: LlamaLogLevel.disabled,
  progressLogs: false,
});

/** The model, its context and the one sequence in it. @type {any} */
let opened;
/** @type {number[]} */
let prompt = [];

async function open() {
  await opened?.context.dispose();
  await opened?.model.dispose();
  const model = await llama.loadModel({ modelPath, ...(device === 'metal' ? { gpuLayers: 'max' } : {}) });
  const context = await model.createContext({
    contextSize: CONTEXT,
    batchSize: BATCH,
    threads,
    flashAttention: 'auto',
  });
  opened = { model, context, sequence: context.getSequence() };
}

/**
 * An iterator over greedy tokens after `tokens`.
 * @param {number[]} tokens
 */
const generate = (tokens) => opened.sequence.evaluate(tokens, { temperature: 0, yieldEogToken: true });

/**
 * Evaluates the tokens up to the first one generated.
 * @param {number[]} tokens
 */
async function firstToken(tokens) {
  const generation = generate(tokens);
  await generation.next();
  await generation.return();
}

/**
 * Lets the cache hold only what it has of `tokens`, without the last one, whose logits are wanted; gives the rest.
 * @param {number[]} tokens
 */
async function missing(tokens) {
  await opened.sequence.adaptStateToTokens(tokens.slice(0, -1), false);
  return tokens.slice(opened.sequence.nextTokenIndex);
}

/** @param {number[]} values an odd number of them */
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

/**
 * One forward pass of all `tokens` with logits for each, below the package's public surface: it has none for this.
 * @param {number[]} tokens
 * @param {number} position
 */
async function forwardPass(tokens, position) {
  const native = opened.context._ctx;
  native.initBatch(tokens.length);
  native.addToBatch(
    opened.sequence._sequenceId,
    position,
    Uint32Array.from(tokens),
    Uint32Array.from(tokens.keys()),
  );
  await native.decodeBatch();
}

/** @type {Record<string, (...words: string[]) => Promise<object>>} */
const requests = {
  async prompt(...ids) {
    prompt = ids.map(Number);
    return { tokens: prompt.length };
  },

  async prefill() {
    await opened.sequence.clearHistory();
    const start = performance.now();
    await firstToken(prompt);
    return { ms: performance.now() - start };
  },

  async decode(count) {
    const generation = generate(await missing(prompt));
    const ids = [(await generation.next()).value];
    const start = performance.now();
    while (ids.length < Number(count)) ids.push((await generation.next()).value);
    const ms = performance.now() - start;
    await generation.return();
    return { ms, ids };
  },

  async forward(count) {
    const { context, sequence } = opened;
    await sequence.evaluateWithoutGeneratingNewTokens(await missing(prompt));
    context._ctx.setThreads(threads);
    const tokens = prompt.slice(0, Number(count));
    const times = [];
    for (let i = 0; i <= FORWARD_REPEATS; i++) {
      const start = performance.now();
      await forwardPass(tokens, prompt.length);
      times.push(performance.now() - start);
      context._ctx.removeTokenCellsFromSequence(sequence._sequenceId, prompt.length, -1);
    }
    // The first one of a size builds the graph.
    return { ms: median(times.slice(1)) };
  },

  async reuse(count, step) {
    const { sequence } = opened;
    await sequence.evaluateWithoutGeneratingNewTokens(await missing(prompt));
    const kept = prompt.length - Number(count);
    const changed = [...prompt.slice(0, kept), ...prompt.slice(Number(step), Number(step) + Number(count))];
    const start = performance.now();
    await sequence.adaptStateToTokens(changed, false);
    const from = sequence.nextTokenIndex;
    await firstToken(changed.slice(from));
    const ms = performance.now() - start;
    if (from < kept) throw new Error(`only ${from} of ${kept} tokens were reused`);
    return { ms };
  },

  async load() {
    const start = performance.now();
    await open();
    await firstToken(prompt);
    const cold = performance.now() - start;
    const warm = [];
    for (let i = 0; i < WARM_REPEATS; i++) {
      await opened.sequence.clearHistory();
      const again = performance.now();
      await firstToken(prompt);
      warm.push(performance.now() - again);
    }
    return { ms: cold - median(warm) };
  },
};

if (openLater === undefined) await open();
say({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  const [name = '', ...words] = line.split(' ');
  const request = requests[name];
  try {
    say(request === undefined ? { error: `There is no request '${name}'.` } : await request(...words));
  } catch (error) {
    say({ error: error instanceof Error ? error.message : String(error) });
  }
}
process.exit(0);
