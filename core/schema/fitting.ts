/**
 * Fits a suggestion in JSON to what stands around it. A grammar knows the text before the cursor alone: whether another member
 * follows is seen here, and what is left of a text that was cut.
 */
import { type DocumentSnapshot, JSON_LANGUAGES } from '../completion/document';
import { readJson } from './json_reader';

/** What another member or item begins with. */
const BEGINS_VALUE = /^["{[\d\-tfn]/;
const COMMENTS = /^(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)+/;

/**
 * A suggestion with the comma it needs, or without one that would be too many.
 * @param before All text before the cursor.
 * @param after Text behind it; where the cursor is in a string, it may begin with the quote that the editor closed it with.
 */
export function withFittingComma(before: string, suggestion: string, after: string): string {
  if (suggestion.trim() === '') return suggestion;
  const kind = readJson(before)?.partial?.kind;
  const quoted = (kind === 'key' || kind === 'string') && after.startsWith('"');
  const rest = quoted ? after.slice(1) : after;
  const next = rest.replace(COMMENTS, '');
  const text = suggestion.trimEnd();
  if (text.endsWith(','))
    return /^[}\]]/.test(next) && isBetween(before + text) ? text.slice(0, -1) : suggestion;
  const isLast = /^[ \t]*(?:\n|$)/.test(rest);
  return isLast && BEGINS_VALUE.test(next) && isBehindValue(before + text) ? `${text},` : suggestion;
}

/** A suggestion with the comma that belongs there where the document is JSON, and not cut. */
export function fittedInJson(document: DocumentSnapshot, suggestion: string): string {
  const { languageId, front, before, after } = document;
  const isWhole = JSON_LANGUAGES.has(languageId) && front !== undefined;
  return isWhole ? withFittingComma(front + before, suggestion, after) : suggestion;
}

/** True behind a comma of a container. */
function isBetween(text: string): boolean {
  const reading = readJson(text);
  const expects = reading?.open.at(-1)?.expects;
  return reading?.partial === undefined && (expects === 'next_key' || expects === 'next_item');
}

/** True where a member or an item is complete. */
function isBehindValue(text: string): boolean {
  const partial = readJson(text)?.partial;
  // What is a number or a word may go on; a line break ends it. It does not end a string.
  if (partial !== undefined && partial.kind !== 'scalar') return false;
  const reading = readJson(`${text}\n`);
  return reading?.open.at(-1)?.expects === 'comma' && reading.open.length > 1;
}

/**
 * A suggestion that was cut (by the limit of tokens) without the string that it begins and does not end: a small model that has to
 * fill a text goes on and on, and its key alone is worth more.
 */
export function withoutOpenString(before: string, suggestion: string): string {
  const partial = readJson(before + suggestion)?.partial;
  if (partial === undefined || partial.kind === 'scalar' || partial.start < before.length) return suggestion;
  const kept = suggestion.slice(0, partial.start - before.length).trimEnd();
  return kept === '' ? suggestion : kept;
}
