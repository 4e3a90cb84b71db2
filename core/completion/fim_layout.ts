/**
 * How a model reads the text around the cursor: which marks its prompt has, and in which order the parts come. Families differ in that and
 * nothing in GGUF says it; the engine knows them by the names of their tokens (native/tokenizer/fim_families.cpp), and a file may say it with a
 * key of ours (`emberline.fim.layout`). Where neither does, the model is asked without what follows the cursor, as one that was never
 * taught to use it.
 */
import type { NativeFim, NativePrompt } from '../engine/native_types';
import { commentedFiles, type FileTexts, repositoryFiles } from './file_layout';
import type { SuffixStart } from './suffix';

/** The parts of a prompt. */
export interface PromptTexts extends FileTexts {
  /** What follows the cursor, from where the layout wants it on; empty where there is nothing. */
  readonly suffix: string;
}

/** Puts the parts in order. Texts stay parts of their own, so that a document can never spell a mark. */
export interface FimLayout {
  readonly write: (texts: PromptTexts) => NativePrompt;
  /** Whether the suffix stands behind the text that grows, so that all of it is read again for each key. */
  readonly readsSuffixAgain: boolean;
  readonly suffixStart: SuffixStart;
}

/** The layout of a model that names these tokens; undefined where one that it needs is missing. */
type Template = (tokens: NativeFim) => FimLayout | undefined;

/**
 * `[suffix] text {[separator] snippet} [prefix] text`, and the model goes on: prefix and middle are one text, tokenized together, so
 * that tokens are healed as in plain text. What follows the cursor stands in front, because it changes least while one types.
 */
const suffixPrefix =
  (suffixStart: SuffixStart): Template =>
  (tokens) => {
    const { suffix: suffixToken, prefix: prefixToken } = tokens;
    if (suffixToken === undefined || prefixToken === undefined) return undefined;
    return {
      write: (texts) => {
        const { front, text } = commentedFiles(texts, tokens, false);
        const { suffix } = texts;
        return [...(suffix === '' ? [] : [suffixToken, suffix]), ...front, prefixToken, text];
      },
      readsSuffixAgain: false,
      suffixStart,
    };
  };

/** `{[separator] snippet} [separator] [suffix] text [prefix] text [middle]`; without a suffix no marks but the separators. */
function suffixPrefixMiddle(tokens: NativeFim): FimLayout | undefined {
  return withMiddle(tokens, false);
}

/** `{[separator] snippet} [separator] [prefix] text [suffix] text [middle]`; without a suffix no marks but the separators. */
function prefixSuffixMiddle(tokens: NativeFim): FimLayout | undefined {
  return withMiddle(tokens, true);
}

function withMiddle(tokens: NativeFim, readsSuffixAgain: boolean): FimLayout | undefined {
  const { prefix: prefixToken, suffix: suffixToken, middle: middleToken } = tokens;
  if (suffixToken === undefined || prefixToken === undefined || middleToken === undefined) return undefined;
  return {
    write: (texts) => {
      const { suffix, snippets } = texts;
      const repository = snippets.length > 0 ? repositoryFiles(texts, tokens) : undefined;
      const { front, text } = repository ?? commentedFiles(texts, tokens, true);
      // What ends with the file is plain code, of which these models have read the most.
      if (suffix === '') return front.length === 0 ? text : withText(front, text);
      const before = [prefixToken, text];
      const behind = [suffixToken, suffix];
      return [...front, ...(readsSuffixAgain ? [...before, ...behind] : [...behind, ...before]), middleToken];
    },
    readsSuffixAgain,
    suffixStart: 'cursor',
  };
}

/** What no mark divides is one text. */
function withText(front: readonly (string | number)[], text: string): (string | number)[] {
  const last = front.at(-1);
  return typeof last === 'string' ? [...front.slice(0, -1), last + text] : [...front, text];
}

/** The layout that the embedded model was taught, and what training/ makes of it. */
export const OWN_LAYOUT = 'suffix_prefix_contiguous';

const TEMPLATES: ReadonlyMap<string, Template> = new Map([
  // What stands right of the cursor it has not seen.
  [OWN_LAYOUT, suffixPrefix('next_line')],
  ['suffix_prefix', suffixPrefix('cursor')],
  ['suffix_prefix_middle', suffixPrefixMiddle],
  ['prefix_suffix_middle', prefixSuffixMiddle],
]);

/** How the model reads what follows the cursor; undefined where it does not, or in a way that is not known here. */
export function fimLayout(fim: NativeFim | undefined): FimLayout | undefined {
  return fim === undefined ? undefined : TEMPLATES.get(fim.layout)?.(fim);
}

/** Whether a model has read what stands right of the cursor on its line when it goes on from there. */
export function readsLine(fim: NativeFim | undefined): boolean {
  return fimLayout(fim)?.suffixStart === 'cursor';
}
