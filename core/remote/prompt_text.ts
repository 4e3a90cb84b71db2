/**
 * From the prompt that was written for a remote engine to what goes over the wire: one text with marks, or the parts for a server that lays them out
 * itself.
 *
 * Tokens are healed by text here, as there is no mask but where a server takes a grammar (llama_server.ts): the last word is cut off, but not the line break
 * and what stands before it, behind which a token begins in every tokenizer in use.
 */
import type { NativePrompt } from '../engine/native_types';
import { type Family, MARK, withoutControlTokens } from './families';

type Parts = readonly (string | number)[];

/** What is asked once. */
export interface Attempt {
  readonly parts: Parts;
  /** What the answer has to begin with. */
  readonly required: string;
}

/**
 * What to try in turn: from a safe boundary, and, where the model goes on with something else there, from the cursor itself.
 * @param requiredPrefix What of the text before the cursor the prompt lacks.
 */
export function attemptsFor(prompt: NativePrompt, requiredPrefix: string): readonly Attempt[] {
  const parts = typeof prompt === 'string' ? [prompt] : prompt;
  const boundary = requiredPrefix.lastIndexOf('\n') + 1;
  const required = requiredPrefix.slice(boundary);
  const healed = { parts: withPrefixText(parts, requiredPrefix.slice(0, boundary)), required };
  if (required === '') return [healed];
  return [healed, { parts: withPrefixText(parts, requiredPrefix), required: '' }];
}

/** With more text before the cursor. */
function withPrefixText(parts: Parts, text: string): Parts {
  if (text === '') return parts;
  const at = prefixIndex(parts);
  return at < 0 ? [...parts, text] : parts.map((part, index) => (index === at ? `${part}${text}` : part));
}

/** Where the text before the cursor stands: behind its mark, or last where there is none. */
function prefixIndex(parts: Parts): number {
  const mark = parts.lastIndexOf(MARK.prefix);
  return mark < 0 ? parts.findLastIndex((part) => typeof part === 'string') : mark + 1;
}

/** One text, the marks as the family spells them. */
export function promptTextOf(parts: Parts, family: Family | undefined): string {
  const spelled = (part: string | number): string =>
    typeof part === 'string' ? withoutControlTokens(part) : (family?.marks[part] ?? '');
  return parts.map(spelled).join('');
}

/** The parts for a server that knows the marks. */
export interface InfillParts {
  readonly prefix: string;
  readonly suffix: string;
  readonly files: readonly { readonly filename: string; readonly text: string }[];
}

/** Undefined where nothing stands behind the cursor and no other files do in front: plain text, of which models have read the most. */
export function infillParts(parts: Parts): InfillParts | undefined {
  if (parts.every((part) => typeof part === 'string')) return undefined;
  const textBehind = (mark: number): string => {
    const at = parts.lastIndexOf(mark);
    const part = at < 0 ? undefined : parts[at + 1];
    return typeof part === 'string' ? part : '';
  };
  const own = parts[prefixIndex(parts)];
  const behindMarks = parts.lastIndexOf(MARK.prefix) >= 0;
  // The last separator stands before the document itself.
  const separated = parts.flatMap((part, index) => (part === MARK.separator ? [parts[index + 1]] : []));
  const files = separated.slice(0, -1).flatMap((text) => (typeof text === 'string' ? [fileOf(text)] : []));
  const suffix = behindMarks ? textBehind(MARK.suffix) : '';
  return { prefix: typeof own === 'string' ? own : '', suffix, files };
}

function fileOf(text: string): InfillParts['files'][number] {
  const end = text.indexOf('\n');
  return { filename: text.slice(0, end), text: text.slice(end + 1) };
}
