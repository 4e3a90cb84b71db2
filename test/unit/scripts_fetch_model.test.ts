import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { GEMMA, joinParts } from '../../scripts/fetch_model.mjs';
import { temporaryFolder } from '../temporary_folder';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('a model that is fetched in parts', () => {
  let folder = '';
  let parts: string[] = [];
  beforeEach(() => {
    folder = temporaryFolder();
    parts = ['GGUF', 'and the rest'].map((text, index) => {
      const path = join(folder, `part${index}`);
      writeFileSync(path, text);
      return path;
    });
  });

  it('is joined in order', () => {
    const target = join(folder, 'model.gguf');
    joinParts(parts, target, { bytes: 16, sha256: sha256('GGUFand the rest') });
    expect(readFileSync(target, 'utf8')).toBe('GGUFand the rest');
    expect(readdirSync(folder).sort()).toEqual(['model.gguf', 'part0', 'part1']);
  });

  it.each([
    ['another hash', { bytes: 16, sha256: sha256('GGUF') }],
    ['another size', { bytes: 15, sha256: sha256('GGUFand the rest') }],
  ])('never stands at its place with %s', (_, expected) => {
    const target = join(folder, 'model.gguf');
    expect(() => joinParts(parts, target, expected)).toThrow(/not the model that is expected: 16 bytes/);
    expect(existsSync(target)).toBe(false);
    expect(readdirSync(folder).sort()).toEqual(['part0', 'part1']);
  });

  it('names a SHA-256 and as many parts as packages', () => {
    expect(GEMMA.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(GEMMA.parts.map(({ package: name }) => name)).size).toBe(4);
    expect(GEMMA.parts.map(({ data }) => data.at(-1))).toEqual(['0', '1', '2', '3']);
  });
});
