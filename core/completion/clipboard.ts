/** What the user copied, as a piece beside the document: as many of its first lines as fit. */
import { normalizeLineBreaks } from './document';
import type { Snippet } from './snippets';
import { estimateTokens } from './token_estimate';

/** It is of no file that anybody knows. */
const NAME = 'clipboard';
/** UTF-16 units that are looked at. */
const MOST_UNITS = 8_192;

/** One piece, or none where nothing is copied that fits in `budget` (estimated tokens). */
export function clipboardSnippet(text: string, languageId: string, budget: number): readonly Snippet[] {
  const lines: string[] = [];
  let left = budget;
  for (const line of normalizeLineBreaks(text.slice(0, MOST_UNITS)).split('\n')) {
    left -= estimateTokens(`${line}\n`);
    if (left < 0) break;
    lines.push(`${line}\n`);
  }
  const copied = lines.join('').trimEnd();
  return copied === '' ? [] : [{ path: NAME, languageId, text: `${copied}\n` }];
}
