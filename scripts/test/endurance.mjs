import { FOR_BROWSER_TESTS, FOR_BUILDING } from '../setup/debian_packages.mjs';
import { runVitest } from './vitest.mjs';

/** Of each kind five. npm test has one of each. */
const KILLS = '20';
/** npm test has three. */
const WINDOWS = '10';

/**
 * Extension hosts that are killed at random moments, and many windows at once.
 * @type {import('./stage.mjs').Stage}
 */
export const endurance = {
  name: 'endurance',
  platform: 'linux-x64',
  requirements: [...FOR_BUILDING, ...FOR_BROWSER_TESTS],
  needs: ['codeServer', 'vsix', 'bundles'],
  deep: true,
  run: (progress) =>
    runVitest(progress, 'e2e', 'killed hosts and many windows in the browser', {
      args: ['test/e2e/killed_host.test.ts', 'test/e2e/several_windows.test.ts', '--retry=0'],
      env: { ...process.env, EMBERLINE_KILLS: KILLS, EMBERLINE_WINDOWS: WINDOWS },
    }),
};
