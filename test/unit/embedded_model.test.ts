import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { embeddedModelPath } from '../../core/engine/binding';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = new URL('../../models/', import.meta.url);
const NAME = 'Emberline-135M.Q4_1.gguf';
const BYTES = 98_362_336;
const SHA256 = '8df075a0d512f3cff3cf6945fc8f9b1b852071b0b1b0be8790f7625a6523766f';

describe('embedded model', () => {
  it('is the file that was chosen', async () => {
    const file = embeddedModelPath(ROOT);
    expect(basename(file)).toBe(NAME);
    expect((await stat(file)).size).toBe(BYTES);
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    expect(hash.digest('hex')).toBe(SHA256);
  });

  it('is the file that SHA256SUMS and the model card describe', async () => {
    expect(await readFile(new URL('SHA256SUMS', FOLDER), 'utf8')).toBe(`${SHA256}  ${NAME}\n`);
    const card = await readFile(new URL('README.md', FOLDER), 'utf8');
    expect(card).toContain(NAME);
    expect(card).toContain(SHA256);
    expect(card).toContain(BYTES.toLocaleString('en-US'));
  });

  it('comes with the text of its licence', async () => {
    const licence = await readFile(new URL('LICENSE', FOLDER), 'utf8');
    expect(licence).toContain('Apache License');
    expect(licence).toContain('END OF TERMS AND CONDITIONS');
  });
});
