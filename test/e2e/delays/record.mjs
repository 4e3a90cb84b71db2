/**
 * Loaded into every Node.js of an editor (`--import`): the extension host's writes down how late its event loop is, each second, in the file that
 * EMBERLINE_DELAYS names. Once a file of that name with `.begin` is there, it begins anew.
 */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 1;
const EVERY_MS = 1_000;

const file = process.env['EMBERLINE_DELAYS'];
if (file !== undefined && process.argv.some((one) => one.includes('extensionHost'))) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const late = (/** @type {number} */ nanoseconds) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  const at = (/** @type {number} */ percentile) => late(delay.percentile(percentile));
  const write = () => {
    if (existsSync(`${file}.begin`)) {
      rmSync(`${file}.begin`);
      delay.reset();
      return;
    }
    const figures = { count: delay.count, p50: at(50), p99: at(99), p999: at(99.9), max: late(delay.max) };
    writeFileSync(`${file}.part`, JSON.stringify(figures));
    renameSync(`${file}.part`, file);
  };
  setInterval(write, EVERY_MS).unref();
}
