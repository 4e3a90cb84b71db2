/** `node scripts/checksums.mjs FOLDER`: writes SHA256SUMS of the packages and bills of materials in it, as `sha256sum --check` reads it. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from './failure.mjs';
import { runCommand } from './processes.mjs';

const PUBLISHED = /\.(?:vsix|cdx\.json)$/;

/** @param {string} folder @returns {string} a line a file, by name */
export function checksums(folder) {
  const names = readdirSync(folder).filter((name) => PUBLISHED.test(name));
  return names
    .toSorted()
    .map((name) => {
      const digest = createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex');
      return `${digest}  ${name}\n`;
    })
    .join('');
}

/** @returns {Promise<number>} */
async function main() {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Failure('Name the folder that has the packages.');
  const text = checksums(resolve(folder));
  if (text === '') throw new Failure(`There is no package in ${folder}.`);
  writeFileSync(join(resolve(folder), 'SHA256SUMS'), text);
  process.stdout.write(text);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
