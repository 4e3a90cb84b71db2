/**
 * The suffix: what after the cursor the model reads: whole lines, from the next one on or from the rest of the cursor's, as it was taught.
 *
 * In most layouts they stand in front of everything else in a prompt, so a suffix that changed with each keystroke would cost the whole
 * KV cache each time. Once cut, it stays as it is while its text still stands right below the cursor: typing, Enter, an accepted suggestion and a
 * step up within a block leave a few lines between the two that the model does not see, and all that was computed.
 */
import { MAX_AFTER } from './document';
import { estimateTokens } from './token_estimate';

/** Lines between the cursor's and a remembered suffix, at most. */
const MAX_GAP = 4;
/** A remembered suffix is given up when it takes less than this part of the budget, though there is more text … */
const MIN_KEPT = 1 / 3;
/** … or more than this: estimates move a little with each request, which must not cut it anew. */
const MAX_KEPT = 1.5;

/** Where a suffix begins: at the cursor, or below its line. */
export type SuffixStart = 'cursor' | 'next_line';

export interface Suffix {
  /** Empty, or whole lines but perhaps for the first, not all of them blank. */
  readonly text: string;
  /** True when it reaches to the end of the document. */
  readonly whole: boolean;
}

/**
 * Chooses the suffix of what follows the cursor, at most `budget` estimated tokens.
 * @param after Text after the cursor, as a snapshot has it.
 * @param memory The document's suffix of last time.
 */
export function selectSuffix(
  after: string,
  budget: number,
  memory?: Suffix,
  start: SuffixStart = 'next_line',
): Suffix {
  const lineEnd = after.indexOf('\n');
  const below = start === 'cursor' ? after : lineEnd < 0 ? '' : after.slice(lineEnd + 1);
  const maxGap = start === 'cursor' ? 0 : MAX_GAP;
  if (memory !== undefined && standsIn(below, memory, maxGap) && isSensible(memory, budget)) return memory;
  return cutFrom(below, budget, after.length >= MAX_AFTER);
}

function standsIn(below: string, { text, whole }: Suffix, maxGap: number): boolean {
  if (text === '') return false;
  for (let gap = 0, at = 0; gap <= maxGap; gap++) {
    if (below.startsWith(text, at) && (!whole || at + text.length === below.length)) return true;
    at = below.indexOf('\n', at) + 1;
    if (at === 0) return false;
  }
  return false;
}

function isSensible({ text, whole }: Suffix, budget: number): boolean {
  const cost = estimateTokens(text);
  return cost <= budget * MAX_KEPT && (whole || cost >= budget * MIN_KEPT);
}

/** @param more Whether the document goes on where `below` ends, perhaps within a line. */
function cutFrom(below: string, budget: number, more: boolean): Suffix {
  let end = 0;
  for (let cost = 0; end < below.length;) {
    const newline = below.indexOf('\n', end);
    if (newline < 0 && more) break;
    const next = newline < 0 ? below.length : newline + 1;
    cost += estimateTokens(below, end, next);
    if (cost > budget) break;
    end = next;
  }
  const text = below.slice(0, end);
  return { text: text.trim() === '' ? '' : text, whole: !more && end === below.length };
}
