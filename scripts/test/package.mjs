import { Failure } from '../failure.mjs';
import { contentProblems, packagedFiles } from '../package.mjs';
import { vscodeTarget, vsixPath } from '../paths.mjs';
import { FOR_BUILDING } from '../setup/debian_packages.mjs';
import { check } from './checks.mjs';

/**
 * The package holds what it must and nothing else.
 * @type {import('./stage.mjs').Stage}
 */
export const packaged = {
  name: 'package',
  requirements: FOR_BUILDING,
  needs: ['vsix'],
  alone: false,
  run: (progress) =>
    check(progress, "the package's contents", async () => {
      const problems = contentProblems(await packagedFiles(vsixPath()), vscodeTarget());
      if (problems.length > 0) throw new Failure(problems.join(' '));
    }),
};
