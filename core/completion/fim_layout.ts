/**
 * How a model reads the text around the cursor: which marks its prompt has, and in which order the parts come. Families differ in that and
 * nothing in GGUF says it; the engine knows them by the names of their tokens (native/tokenizer/fim_families.cpp), and a file may say it with a
 * key of ours (`emberline.fim.layout`). Where neither does, the model is asked without what follows the cursor, as one that was never
 * taught to use it.
 */
import type { NativeFim, NativePrompt } from '../engine/native_types';
import type { SuffixStart } from './suffix';

/** The parts of a prompt. */
export interface PromptTexts {
  /** The path line and the text before the cursor: what the model goes on from. */
  readonly prefix: string;
  /** What follows the cursor, from where the layout wants it on; empty where there is nothing. */
  readonly suffix: string;
  /** Pieces of other files, each behind its path line. */
  readonly snippets: readonly string[];
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
  ({ suffix: suffixToken, prefix: prefixToken, separator }) => {
    if (suffixToken === undefined || prefixToken === undefined) return undefined;
    return {
      write: ({ suffix, snippets, prefix }) => {
        const { marked, rest } = markedOff(snippets, separator);
        return [...(suffix === '' ? [] : [suffixToken, suffix]), ...marked, prefixToken, rest + prefix];
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

function withMiddle(
  { prefix: prefixToken, suffix: suffixToken, middle: middleToken, separator }: NativeFim,
  readsSuffixAgain: boolean,
): FimLayout | undefined {
  if (suffixToken === undefined || prefixToken === undefined || middleToken === undefined) return undefined;
  return {
    write: ({ suffix, snippets, prefix }) => {
      const { marked, rest } = markedOff(snippets, separator);
      const text = rest + prefix;
      if (marked.length > 0 && separator !== undefined) marked.push(separator);
      // What ends with the file is plain code, of which these models have read the most.
      if (suffix === '') return marked.length === 0 ? text : [...marked, text];
      const before = [prefixToken, text];
      const behind = [suffixToken, suffix];
      return [
        ...marked,
        ...(readsSuffixAgain ? [...before, ...behind] : [...behind, ...before]),
        middleToken,
      ];
    },
    readsSuffixAgain,
    suffixStart: 'cursor',
  };
}

/** Pieces of other files: behind a mark each; where the model has none between files, as text in front of the document's. */
function markedOff(
  snippets: readonly string[],
  separator: number | undefined,
): { marked: (string | number)[]; rest: string } {
  if (separator === undefined) return { marked: [], rest: snippets.join('') };
  return { marked: snippets.flatMap((snippet) => [separator, snippet]), rest: '' };
}

const TEMPLATES: ReadonlyMap<string, Template> = new Map([
  // The embedded model's: what stands right of the cursor it has not seen (training/).
  ['suffix_prefix_contiguous', suffixPrefix('next_line')],
  ['suffix_prefix', suffixPrefix('cursor')],
  ['suffix_prefix_middle', suffixPrefixMiddle],
  ['prefix_suffix_middle', prefixSuffixMiddle],
]);

/** How the model reads what follows the cursor; undefined where it does not, or in a way that is not known here. */
export function fimLayout(fim: NativeFim | undefined): FimLayout | undefined {
  return fim === undefined ? undefined : TEMPLATES.get(fim.layout)?.(fim);
}
