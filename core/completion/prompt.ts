/**
 * The text that the model goes on from: a line that names the file, then as much of the text before the cursor as the budget allows.
 *
 * The engine keeps the KV entries of an unchanged front, so the start of the window must not move with each keystroke. It stays
 * where it is until the window overflows, and then a quarter of the budget is dropped at once.
 */
import type { NativePrompt } from '../engine/native_types';
import { isLowSurrogate } from './characters';
import { commentLine } from './languages';
import { estimateTokens } from './token_estimate';

/** How much of the budget a fresh window takes; the rest is room for typing. */
const FILL = 0.75;
/** A remembered start is given up when the cursor moved so close to it that less than this part of the budget is left. */
const MIN_KEPT = 1 / 3;
/** Enough of the window's first text to find it again after edits above it, UTF-16 units. */
const FRONT = 256;

/** Where the window of a document began last time. */
export interface WindowMemory {
  readonly front: string;
}

export interface Window {
  /** UTF-16 units of the text that are left out. */
  readonly start: number;
  readonly memory: WindowMemory;
}

/**
 * Chooses which tail of `text` fits in `budget` (estimated tokens). Starts at a line unless one line alone is too
 * long, and where it started last time as long as that is sensible.
 */
export function selectWindow(text: string, budget: number, memory?: WindowMemory): Window {
  const filled = budget * FILL;
  const total = estimateTokens(text);
  if (total <= filled) return windowAt(text, 0);
  const kept = memory && keptStart(text, budget, memory.front);
  if (kept !== undefined) return windowAt(text, kept);
  if (total <= budget) return windowAt(text, 0);
  return windowAt(text, freshStart(text, filled));
}

/** Whether a window begins where another one did, edits above it aside. */
export function isWhereItWas(window: Window, then: Window): boolean {
  return window.memory.front === then.memory.front || (window.start === 0 && then.start === 0);
}

/** The line that names the file; none where it has no name. */
export function pathLine(languageId: string, path: string): string {
  if (path === '') return '';
  return commentLine(languageId, path.replace(/[\r\n]+/g, ' '));
}

/** The texts of a prompt, one after the other. */
export function promptText(prompt: NativePrompt): string {
  return typeof prompt === 'string' ? prompt : prompt.filter((part) => typeof part === 'string').join('');
}

function windowAt(text: string, start: number): Window {
  return { start, memory: { front: text.slice(start, start + FRONT) } };
}

/** Where `front` is found again, if the window from there has a sensible size. */
function keptStart(text: string, budget: number, front: string): number | undefined {
  if (front === '') return undefined;
  const at = text.indexOf(front, earliestStart(text, budget));
  return at >= 0 && estimateTokens(text, at) >= budget * MIN_KEPT ? at : undefined;
}

/** The first line start from which the rest costs at most `tokens`; within a line when a long one would be lost whole. */
function freshStart(text: string, tokens: number): number {
  const at = earliestStart(text, tokens);
  if (at === 0 || text[at - 1] === '\n') return at;
  const next = text.indexOf('\n', at) + 1;
  if (next > 0 && estimateTokens(text, next) >= tokens * MIN_KEPT) return next;
  return isLowSurrogate(text.charCodeAt(at)) ? at + 1 : at;
}

/** The smallest offset from which the rest costs at most `tokens`. */
function earliestStart(text: string, tokens: number): number {
  let cost = 0;
  for (let at = text.length; at > 0; at--) {
    cost += estimateTokens(text, at - 1, at);
    if (cost > tokens) return at;
  }
  return 0;
}
