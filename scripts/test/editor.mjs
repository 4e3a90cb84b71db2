import { FOR_BROWSER_TESTS, FOR_BUILDING } from '../setup/debian_packages.mjs';
import { runInExtensionHost } from './extension_host.mjs';

/**
 * Mocha inside a real extension host, against the installed package.
 * @type {import('./stage.mjs').Stage}
 */
export const editor = {
  name: 'editor',
  // Debian's Chromium; elsewhere `npm run test:desktop` runs the same suite.
  platform: 'linux-x64',
  requirements: [...FOR_BUILDING, ...FOR_BROWSER_TESTS],
  needs: ['codeServer', 'vsix'],
  run: (progress) => runInExtensionHost(progress, 'tests in the extension host', { suite: 'suite' }),
};
