/** How late the timers of an event loop are. Plain JavaScript: an editor's own Node.js loads it as it stands, too. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 1;
const NANOSECONDS = 1e6;

/**
 * ms.
 * @typedef {object} LoopDelay
 * @property {number} p50
 * @property {number} p99
 * @property {number} p999
 * @property {number} max
 */

/** Records nothing before it is enabled. */
export const loopMonitor = () => monitorEventLoopDelay({ resolution: RESOLUTION_MS });

/**
 * @param {import('node:perf_hooks').IntervalHistogram} monitor
 * @returns {LoopDelay} of what was recorded
 */
export function loopDelay(monitor) {
  const late = (/** @type {number} */ nanoseconds) => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS);
  const at = (/** @type {number} */ percentile) => late(monitor.percentile(percentile));
  return { p50: at(50), p99: at(99), p999: at(99.9), max: late(monitor.max) };
}
