/**
 * How a model reads the text around the cursor. Its file names the tokens that mark the parts, but nothing in GGUF says in which order
 * they come, and files of one architecture differ; so a layout is known by a name of our own in the file (`emberline.fim.layout`).
 * Where that is missing or unknown, the model is asked without what follows the cursor, as one that was never taught to use it.
 */
import type { NativeFim, NativePrompt } from '../engine/native_types';

/** The parts of a prompt. */
export interface PromptTexts {
  /** The path line and the text before the cursor: what the model goes on from. */
  readonly prefix: string;
  /** Whole lines after the cursor's; empty where there are none. */
  readonly suffix: string;
  /** Pieces of other files, each behind its path line. */
  readonly snippets: readonly string[];
}

/** Puts the parts in order. Texts stay parts of their own, so that a document can never spell a mark. */
export type FimLayout = (texts: PromptTexts) => NativePrompt;

/** The layout of a model that names these tokens; undefined where one that it needs is missing. */
type Template = (tokens: NativeFim) => FimLayout | undefined;

/**
 * `[suffix] text {[separator] snippet} [prefix] text`, and the model goes on: prefix and middle are one text, tokenized together, so
 * that tokens are healed as in plain text. What follows the cursor stands in front, because it changes least while one types.
 */
function suffixPrefixContiguous(tokens: NativeFim): FimLayout | undefined {
  const { suffix: suffixToken, prefix: prefixToken, separator } = tokens;
  if (suffixToken === undefined || prefixToken === undefined || separator === undefined) return undefined;
  return ({ suffix, snippets, prefix }) => [
    ...(suffix === '' ? [] : [suffixToken, suffix]),
    ...snippets.flatMap((snippet) => [separator, snippet]),
    prefixToken,
    prefix,
  ];
}

const TEMPLATES: ReadonlyMap<string, Template> = new Map([
  ['suffix_prefix_contiguous', suffixPrefixContiguous],
]);

/** How the model reads what follows the cursor; undefined where it does not, or in a way that is not known here. */
export function fimLayout(fim: NativeFim | undefined): FimLayout | undefined {
  return fim === undefined ? undefined : TEMPLATES.get(fim.layout)?.(fim);
}
