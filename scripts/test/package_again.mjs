import { readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Failure } from '../failure.mjs';
import { packageExtension } from '../package.mjs';
import { BUILD, vsixPath } from '../paths.mjs';
import { sbomPath } from '../sbom/sbom.mjs';

/**
 * The same files make the same package, byte for byte.
 * @param {import('../progress.mjs').Progress} progress
 */
export async function packageAgain(progress) {
  const again = await packageExtension(progress, { vsix: join(BUILD, 'again.vsix') });
  try {
    for (const of of [(/** @type {string} */ vsix) => vsix, sbomPath]) {
      if (readFileSync(of(again)).equals(readFileSync(of(vsixPath())))) continue;
      throw new Failure(`The extension was packaged twice, and ${basename(of(vsixPath()))} differs.`);
    }
  } finally {
    for (const file of [again, sbomPath(again)]) rmSync(file);
  }
}
