import { sum } from '../counts.mjs';
import { FOR_BROWSER_TESTS, FOR_BUILDING } from '../setup/debian_packages.mjs';
import { runInExtensionHost } from './extension_host.mjs';
import { runVitest } from './vitest.mjs';

/**
 * Documents that are large or many, edits that never rest, extension hosts that are killed at random moments, and many windows at once.
 * @type {import('./stage.mjs').Stage}
 */
export const endurance = {
  name: 'endurance',
  platform: 'linux-x64',
  requirements: [...FOR_BUILDING, ...FOR_BROWSER_TESTS],
  needs: ['codeServer', 'vsix', 'bundles'],
  deep: true,
  run: async (progress) =>
    sum([
      await runInExtensionHost(progress, 'large and many documents in the extension host', { suite: 'load' }),
      await runVitest(progress, 'endurance', 'killed hosts and many windows in the browser'),
    ]),
};
