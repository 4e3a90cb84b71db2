/**
 * How long a person takes from one key to the next.
 *
 * Source: Dhakal, Feit, Kristensson and Oulasvirta, "Observations on Typing from 136 Million Keystrokes" (CHI 2018): the intervals of 168,000
 * people have a mean of 239 ms and a standard deviation of 112 ms, and a long tail to the right. The log-normal law here has these two moments.
 */
import type { SeededRandom } from '../random';

const MEAN_MS = 238.656;
const DEVIATION_MS = 111.6;

const VARIANCE = Math.log(1 + (DEVIATION_MS / MEAN_MS) ** 2);
const LOG_MEDIAN = Math.log(MEAN_MS) - VARIANCE / 2;

/** Half of the intervals within a line are shorter, ms. */
export const MEDIAN_MS = Math.exp(LOG_MEDIAN);

/** Those people copied text. Whoever writes a program thinks where a line begins: so many times as long. This is an assumption. */
export const LINE_START_PAUSE = 4;

/**
 * Before the first key in a file, ms: one decides what to write, and takes the hand from the mouse to the keyboard. Source: Card, Moran and
 * Newell, "The Keystroke-Level Model for User Performance Time with Interactive Systems" (CACM 23, 1980): 1.35 and 0.4 seconds.
 */
export const BEFORE_FIRST_MS = 1_350 + 400;

/** From one key to the next, ms, above 0. */
export function intervalAfter(key: string, random: SeededRandom): number {
  const ms = Math.exp(LOG_MEDIAN + Math.sqrt(VARIANCE) * normal(random));
  return key.startsWith('\n') ? LINE_START_PAUSE * ms : ms;
}

/** Of the standard normal law (Box and Muller). */
function normal(random: SeededRandom): number {
  // Not 0, whose logarithm is infinite.
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}
