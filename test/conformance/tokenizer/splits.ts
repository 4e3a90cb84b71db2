import { GPT2_PATTERN, byteLevel, sequence, split } from './families.js';

/**
 * How the models of each `tokenizer.ggml.pre` split text, as their `tokenizer.json` has it. The steps in which the oracle differs from the
 * library that the models were trained with are spelled out as in SPELLED_OUT_PIPELINE: `Digits` as \p{N}, `Punctuation` and the
 * `ByteLevel` that splits as the patterns they stand for, and (?i:'s) with the long s, which is an s there where case is ignored.
 */

const CONTRACTION = "'[sS\u017f]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]";
const CL100K_WORDS = `${CONTRACTION}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+`;
const CL100K_SPACES = '\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const CL100K_REST = ` ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${CL100K_SPACES}`;

const UPPER = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const LOWER = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
function o200k(contraction: string, numbers: string): string {
  const front = '[^\\r\\n\\p{L}\\p{N}]?';
  return (
    `${front}${UPPER}*${LOWER}+${contraction}|${front}${UPPER}+${LOWER}*${contraction}|${numbers}|` +
    ` ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${CL100K_SPACES}`
  );
}

// Escaped, since some of these characters are others where text is normalised.
const DEEPSEEK_CASED =
  '[A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af' +
  '\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5' +
  '\u03f7-\u0481\u048a-\u052f\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba' +
  '\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45' +
  '\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe' +
  '\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102' +
  '\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139' +
  '\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3' +
  '\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06' +
  '\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a\u{10400}-\u{1044f}\u{104b0}-\u{104d3}\u{104d8}-\u{104fb}' +
  '\u{10c80}-\u{10cb2}\u{10cc0}-\u{10cf2}\u{118a0}-\u{118df}\u{1e900}-\u{1e943}]';
const ASIAN = '[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+';

const pieces = (...patterns: string[]): object => sequence(...patterns.map(split), byteLevel(false));

export const SPLITS: Readonly<Record<string, object>> = {
  'gpt-2': pieces(GPT2_PATTERN),
  starcoder: pieces('\\p{N}', GPT2_PATTERN),
  falcon: sequence(
    split('[\\p{P}!-/:-@\\[-`{-~]+'),
    split(GPT2_PATTERN),
    byteLevel(false),
    split('\\p{N}+'),
    split('[0-9][0-9][0-9]'),
  ),
  'llama-bpe': pieces(`${CL100K_WORDS}|\\p{N}{1,3}|${CL100K_REST}`),
  minicpm5: pieces('\\p{N}{1,3}', `${CL100K_WORDS}|\\p{N}+|${CL100K_REST}`),
  qwen2: pieces(`${CL100K_WORDS}|\\p{N}|${CL100K_REST}`),
  bailingmoe: pieces(
    "'(?:[sS\u017fdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+",
  ),
  qwen35: pieces(
    `${CONTRACTION}|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|${CL100K_SPACES}`,
  ),
  'seed-coder': pieces(`${CL100K_WORDS}|\\p{N}{1}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|${CL100K_SPACES}`),
  tekken: pieces(o200k('', '\\p{N}')),
  'gpt-4o': pieces(o200k(`(?:${CONTRACTION})?`, '\\p{N}{1,3}')),
  'deepseek-coder': pieces('[\\r\\n]', '\\s?\\p{L}+', '\\s?\\p{P}+', ASIAN, '\\p{N}'),
  'deepseek-llm': pieces(
    '[\\r\\n]',
    `\\s?${DEEPSEEK_CASED}+`,
    '\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+',
    '\\s+$',
    ASIAN,
    '\\p{N}',
  ),
  'deepseek-v3': pieces(
    '\\p{N}{1,3}',
    '[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+',
    '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|' +
      CL100K_SPACES,
  ),
};
