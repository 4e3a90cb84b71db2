import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nativeIds } from './tokenizer/native_ids.js';
import type { ScoredVocabulary } from './tokenizer/families.js';
import { writeVocabularyFile } from './tokenizer/vocabulary_file.js';

/** What test/fixtures/sentencepiece/README.md describes. */
interface Fixture extends ScoredVocabulary {
  addsSpacePrefix: boolean;
  texts: [string, number[]][];
}

const FIXTURES = fileURLToPath(new URL('../fixtures/sentencepiece/', import.meta.url));

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-sentencepiece-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('ids equal those of SentencePiece', () => {
  it.each(['bytes', 'unknown'])('with the model %s', (name) => {
    const fixture = JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8')) as Fixture;
    const model = join(folder, `${name}.gguf`);
    writeVocabularyFile(model, fixture);
    // The engine puts the space in front of a prompt's first text.
    const front = fixture.addsSpacePrefix ? ' ' : '';
    const ids = nativeIds(
      model,
      fixture.texts.map(([text]) => (text === '' ? '' : front + text)),
      false,
    );
    expect(fixture.texts.length).toBeGreaterThan(1500);
    fixture.texts.forEach(([text, expected], i) => {
      expect([...(ids[i] ?? [])], JSON.stringify(text)).toEqual(expected);
    });
  });
});
