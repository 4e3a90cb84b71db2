import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Failure, Interrupted } from './failure.mjs';
import { LOGS, ROOT } from './paths.mjs';
import { processorSeconds } from './processor_time.mjs';

/** Steps shorter than this are printed once, when they are over. */
const ANNOUNCE_AFTER_MS = 1000;
const TAIL_LINES = 40;
const LONGEST_LOG_NAME = 100;

/** No file system takes a name of any length; one that is cut stays one of its own. @param {string} name */
function logNameOf(name) {
  const words = (name.toLowerCase().match(/[a-z0-9]+/g) ?? []).join('-');
  if (words.length <= LONGEST_LOG_NAME) return `${words}.log`;
  return `${words.slice(0, LONGEST_LOG_NAME)}-${createHash('sha256').update(name).digest('hex').slice(0, 8)}.log`;
}

/** Prints one line a step, with the seconds since the command began; the output of the steps goes to log files. */
export class Progress {
  #began = performance.now();
  /** @type {{ name: string, wall: number, processor: number | undefined }[]} */
  #steps = [];

  /** @param {string} text */
  say(text) {
    const seconds = Math.round((performance.now() - this.#began) / 1000);
    console.log(`${String(seconds).padStart(5)} s  ${text}`);
  }

  /**
   * Runs one step. `work` gets the path of a log file of its own and may return a word on how it went.
   * @template T
   * @param {string} name what is done, for example `build the addon`
   * @param {(log: string) => Promise<T>} work
   * @param {(result: T) => string} [describe]
   * @returns {Promise<T>}
   */
  async step(name, work, describe = () => '') {
    mkdirSync(LOGS, { recursive: true });
    const log = join(LOGS, logNameOf(name));
    rmSync(log, { force: true });
    const began = performance.now();
    const before = processorSeconds(log) ?? 0; // of a step of the same name
    const announcement = setTimeout(() => this.say(`${name} …`), ANNOUNCE_AFTER_MS);
    try {
      const result = await work(log);
      const detail = describe(result);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      this.say(`${name}: ${detail === '' ? 'done' : detail} (${seconds} s)`);
      return result;
    } catch (error) {
      if (!(error instanceof Interrupted)) this.say(`${name}: FAILED`);
      if (error instanceof Failure) this.showTail(error.log);
      throw error;
    } finally {
      clearTimeout(announcement);
      const wall = (performance.now() - began) / 1000;
      const processor = processorSeconds(log);
      this.#steps.push({ name, wall, processor: processor === undefined ? undefined : processor - before });
    }
  }

  /** Prints what each step took, in the order they ended: some ran beside others. */
  table() {
    const seconds = (/** @type {number | undefined} */ value) =>
      value === undefined ? '' : value.toFixed(value < 10 ? 1 : 0);
    const whole = (performance.now() - this.#began) / 1000;
    const processor = this.#steps.reduce((sum, step) => sum + (step.processor ?? 0), 0);
    const rows = [...this.#steps, { name: 'all', wall: whole, processor: processor || undefined }];
    const width = Math.max(...rows.map(({ name }) => name.length));
    console.log(`\n${'step'.padEnd(width)}  wall s  processor s`);
    for (const step of rows) {
      const cells = [seconds(step.wall).padStart(6), seconds(step.processor).padStart(11)];
      console.log([step.name.padEnd(width), ...cells].join('  '));
    }
  }

  /** @param {string | undefined} log */
  showTail(log) {
    if (log === undefined || !existsSync(log)) return;
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
    console.log(
      lines
        .slice(-TAIL_LINES)
        .map((line) => `         | ${line}`)
        .join('\n'),
    );
    console.log(`         (all of it: ${relative(ROOT, log)})`);
  }
}
