import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.mjs';
import { contentProblems, packagedFiles, packageExtension } from '../package.mjs';
import { BUILD, vscodeTarget, vsixPath } from '../paths.mjs';
import { FOR_BUILDING } from '../setup/debian_packages.mjs';
import { check } from './checks.mjs';
import { sum } from './counts.mjs';

/**
 * The same files make the same package.
 * @param {import('../progress.mjs').Progress} progress
 */
async function packageAgain(progress) {
  const again = await packageExtension(progress, { vsix: join(BUILD, 'again.vsix') });
  try {
    if (readFileSync(again).equals(readFileSync(vsixPath()))) return;
    throw new Failure('The extension was packaged twice, and the packages differ.');
  } finally {
    rmSync(again);
  }
}

/**
 * The package holds what it must and nothing else, and can be made again byte for byte.
 * @type {import('./stage.mjs').Stage}
 */
export const packaged = {
  name: 'package',
  requirements: FOR_BUILDING,
  needs: ['vsix'],
  run: async (progress) =>
    sum([
      await check(progress, "the package's contents", async () => {
        const problems = contentProblems(await packagedFiles(vsixPath()), vscodeTarget());
        if (problems.length > 0) throw new Failure(problems.join(' '));
      }),
      await check(progress, 'the same package again', () => packageAgain(progress)),
    ]),
};
