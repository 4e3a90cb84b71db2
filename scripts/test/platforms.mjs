import { checkPlatforms } from '../check_platforms.mjs';
import { sum } from '../counts.mjs';
import { TARGETS } from '../platforms.mjs';
import { FOR_BUILDING, FOR_PLATFORMS } from '../setup/debian_packages.mjs';

/**
 * The packages of every platform, and their addons where they can be run. From nothing it compiles the engine eight times, which
 * takes most of an hour on two cores: it runs when it is asked for.
 * @type {import('./stage.mjs').Stage}
 */
export const platforms = {
  name: 'platforms',
  requirements: [...FOR_BUILDING, ...FOR_PLATFORMS],
  needs: ['addon', 'bundles'],
  onRequest: true,
  platform: 'linux-x64',
  run: async (progress) => {
    const rows = await checkPlatforms(progress, TARGETS);
    for (const { target, ran } of rows) progress.say(`${target}: ${ran}`);
    return sum(
      rows.map(({ target, problems }) => ({
        passed: problems.length === 0 ? 1 : 0,
        failed: problems.length === 0 ? 0 : 1,
        skipped: 0,
        failures: problems.map((problem) => `platforms ${target}: ${problem}`),
      })),
    );
  },
};
