import { FOR_BROWSER_TESTS, FOR_BUILDING } from '../setup/debian_packages.mjs';
import { runVitest } from './vitest.mjs';

/**
 * What a user sees: ghost text in a real editor in a real browser.
 * @type {import('./stage.mjs').Stage}
 */
export const e2e = {
  name: 'e2e',
  platform: 'linux-x64',
  requirements: [...FOR_BUILDING, ...FOR_BROWSER_TESTS],
  needs: ['codeServer', 'vsix', 'bundles'],
  run: (progress) => runVitest(progress, 'e2e', 'tests in the browser'),
};
