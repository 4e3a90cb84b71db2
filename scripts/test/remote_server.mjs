import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BUILD } from '../paths.mjs';
import { FOR_BUILDING, FOR_LLAMA_SERVER } from '../setup/debian_packages.mjs';
import { ensureLlamaServer } from '../setup/llama_server.mjs';
import { runVitest } from './vitest.mjs';

/**
 * The remote engine against llama.cpp's own server, with the embedded model. The server takes a quarter of an hour to compile: the stage runs
 * when it is asked for. What it measures is printed, and no test hangs on it.
 * @type {import('./stage.mjs').Stage}
 */
export const remoteServer = {
  name: 'remote-server',
  requirements: [...FOR_BUILDING, ...FOR_LLAMA_SERVER],
  needs: ['addon'],
  onRequest: true,
  async run(progress) {
    const program = await ensureLlamaServer(progress);
    const figures = join(BUILD, 'results', 'remote-server.jsonl');
    mkdirSync(dirname(figures), { recursive: true });
    rmSync(figures, { force: true });
    const env = {
      EMBERLINE_LLAMA_SERVER: program,
      EMBERLINE_LLAMA_SERVER_FIGURES: figures,
    };
    const counts = await runVitest(progress, 'remote-server', 'tests against a real llama-server', { env });
    const lines = existsSync(figures) ? readFileSync(figures, 'utf8').trimEnd().split('\n') : [];
    for (const line of summaryOf(lines)) progress.say(line);
    return counts;
  },
};

/**
 * A line for each figure; of several of one name the median and the 95th percentile.
 * @param {readonly string[]} lines JSON of `{ name, ms }`
 * @returns {string[]}
 */
export function summaryOf(lines) {
  /** @type {Map<string, number[]>} */
  const figures = new Map();
  for (const line of lines) {
    const { name, ms } = /** @type {{ name: string, ms: number }} */ (JSON.parse(line));
    figures.set(name, [...(figures.get(name) ?? []), ms]);
  }
  return [...figures].map(([name, times]) => {
    const sorted = times.toSorted((one, other) => one - other);
    /** @param {number} share */
    const quantile = (share) => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1);
    if (sorted.length === 1) return `${name}: ${quantile(1)} ms`;
    return `${name}: median ${quantile(0.5)} ms, p95 ${quantile(0.95)} ms of ${sorted.length}`;
  });
}
