import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { embeddedModelPath } from '../../../core/engine/binding';

export const EMBEDDED_MODEL = embeddedModelPath(join(import.meta.dirname, '..', '..', '..'));

export interface AddedToken {
  id: number;
  content: string;
  special: boolean;
  normalized: boolean;
  single_word: boolean;
  lstrip: boolean;
  rstrip: boolean;
}

/** The parts of a `tokenizer.json` that matter here. */
export interface TokenizerJson {
  added_tokens: AddedToken[];
  normalizer: object | null;
  pre_tokenizer: object;
  post_processor: object | null;
  decoder: object | null;
  model: {
    type: string;
    vocab: Record<string, number>;
    merges: (string | [string, string])[];
    [option: string]: unknown;
  };
}

/** What GGUF's `tokenizer.ggml.token_type` says. */
export const TOKEN_TYPE = { normal: 1, unknown: 2, control: 3, userDefined: 4 } as const;

/** A vocabulary of byte-level BPE as GGUF holds it. */
export interface Vocabulary {
  pre: string;
  tokens: string[];
  types: number[];
  merges: string[];
}

/** One of SentencePiece's. */
export interface ScoredVocabulary {
  /** `tokenizer.ggml.model`; default: `llama`, its BPE. */
  model?: 't5';
  tokens: string[];
  types: number[];
  scores: number[];
  /** Of `t5`: `tokenizer.ggml.precompiled_charsmap` in base 64, empty where there is none. */
  charsmap?: string;
  removesExtraSpaces?: boolean;
}

/** The text after which a byte-level model is split: Radford et al. 2019. */
export const GPT2_PATTERN =
  "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

export const split = (pattern: string): object => ({
  type: 'Split',
  pattern: { Regex: pattern },
  behavior: 'Isolated',
  invert: false,
});
export const byteLevel = (useRegex: boolean): object => ({
  type: 'ByteLevel',
  add_prefix_space: false,
  trim_offsets: true,
  use_regex: useRegex,
});
export const sequence = (...steps: object[]): object => ({ type: 'Sequence', pretokenizers: steps });

/** The pipelines as the models' own files write them. */
export const WRITTEN_PIPELINE = {
  digits: sequence({ type: 'Digits', individual_digits: true }, byteLevel(true)),
  plain: byteLevel(true),
};

/**
 * The same pipelines spelled out. The models were trained with the original library, whose `Digits` takes every \p{N} and whose \s
 * is White_Space; in JavaScript, the oracle's `Digits` takes 0-9 alone and its `ByteLevel` has \s with U+FEFF and without U+0085.
 * Its `Split` has neither difference.
 */
export const SPELLED_OUT_PIPELINE = {
  digits: sequence(split('\\p{N}'), split(GPT2_PATTERN), byteLevel(false)),
  plain: sequence(split(GPT2_PATTERN), byteLevel(false)),
};

/** True for text that the two spellings of a pipeline may cut differently. */
export function isReadDifferently(text: string): boolean {
  return /[\u0085\ufeff]|(?![0-9])\p{N}/u.test(text);
}

/** The vocabulary of the embedded model. */
export async function embeddedVocabulary(): Promise<Vocabulary> {
  const { metadata } = await gguf(EMBEDDED_MODEL, { allowLocalFile: true });
  const entries = new Map<string, unknown>(Object.entries(metadata));
  return {
    pre: entries.get('tokenizer.ggml.pre') as string,
    tokens: entries.get('tokenizer.ggml.tokens') as string[],
    types: entries.get('tokenizer.ggml.token_type') as number[],
    merges: entries.get('tokenizer.ggml.merges') as string[],
  };
}

/** A `tokenizer.json` for a vocabulary of GGUF's. */
export function tokenizerJsonOf(vocabulary: Vocabulary, preTokenizer: object): TokenizerJson {
  const { tokens, types, merges } = vocabulary;
  return {
    added_tokens: tokens.flatMap((content, id) =>
      types[id] === TOKEN_TYPE.normal
        ? []
        : [
            {
              id,
              content,
              special: true,
              normalized: false,
              single_word: false,
              lstrip: false,
              rstrip: false,
            },
          ],
    ),
    normalizer: null,
    pre_tokenizer: preTokenizer,
    post_processor: null,
    decoder: null,
    model: { type: 'BPE', vocab: Object.fromEntries(tokens.map((token, id) => [token, id])), merges },
  };
}

/** The `tokenizer.json` that an installed package carries. */
export function packagedTokenizerJson(packageName: string): TokenizerJson {
  const path = createRequire(import.meta.url).resolve(`${packageName}/models/tokenizer.json`);
  return JSON.parse(readFileSync(path, 'utf8')) as TokenizerJson;
}

/** What a converter to GGUF makes of a `tokenizer.json`. */
export function vocabularyOf(json: TokenizerJson, pre: string): Vocabulary {
  const tokens: string[] = [];
  for (const [token, id] of Object.entries(json.model.vocab)) tokens[id] = token;
  const types = tokens.map((): number => TOKEN_TYPE.normal);
  for (const { id, content, special } of json.added_tokens) {
    tokens[id] = content;
    types[id] = special ? TOKEN_TYPE.control : TOKEN_TYPE.userDefined;
  }
  const merges = json.model.merges.map((merge) => (typeof merge === 'string' ? merge : merge.join(' ')));
  return { pre, tokens, types, merges };
}
