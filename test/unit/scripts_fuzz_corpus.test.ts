import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KEPT, keptCorpus, nameOf } from '../../scripts/fuzz_corpus.mjs';

describe('the kept corpora', () => {
  const files = readdirSync(KEPT);

  it('are of the fuzzers of grammars', () => {
    expect(files.sort()).toEqual(['gbnf.txt', 'pattern.txt', 'schema.txt', 'token_walk.txt']);
  });

  it.each(files)('%s is readable, small, and has nothing twice', (file) => {
    const inputs = keptCorpus(file.replace('.txt', ''));
    expect(inputs.length).toBeGreaterThan(20);
    expect(new Set(inputs.map(nameOf)).size).toBe(inputs.length);
    expect(statSync(join(KEPT, file)).size).toBeLessThan(100_000);
  });

  it('hold bytes', () => {
    expect(keptCorpus('token_walk').some((input) => input.includes(0))).toBe(true);
    expect(keptCorpus('no_such_target')).toEqual([]);
  });
});
