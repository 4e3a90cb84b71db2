import { Failure } from '../failure.mjs';
import { commandPath } from '../setup/command_path.mjs';

/** @typedef {import('playwright-core').LaunchOptions} LaunchOptions */

/**
 * Starts the machine's own Chromium without a window. It reaches this machine and nothing else.
 * @returns {Promise<import('playwright-core').Browser>}
 */
export async function launchChromium() {
  const options = launchOptions();
  const { chromium } = await import('playwright-core');
  return await chromium.launch(options);
}

/**
 * The same for other processes, which connect to it.
 * @returns {Promise<import('playwright-core').BrowserServer>}
 */
export async function serveChromium() {
  const options = launchOptions();
  const { chromium } = await import('playwright-core');
  return await chromium.launchServer(options);
}

/** @returns {LaunchOptions} */
function launchOptions() {
  const executablePath = process.env['CHROMIUM'] ?? commandPath('chromium');
  if (executablePath === undefined) {
    throw new Failure(
      'Chromium is missing: put `chromium` on the PATH, or its path into the variable CHROMIUM.',
    );
  }
  return {
    executablePath,
    args: [
      // Its sandbox and its GPU process want more than a container or a root user has.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  };
}
