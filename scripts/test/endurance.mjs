import { FOR_BROWSER_TESTS, FOR_BUILDING } from '../setup/debian_packages.mjs';
import { runVitest } from './vitest.mjs';

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
  run: (progress) => runVitest(progress, 'endurance', 'killed hosts and many windows in the browser'),
};
