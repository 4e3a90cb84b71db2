import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format } from 'node:util';
import { launchChromium } from '../../../scripts/editor/chromium.mjs';
import { installExtension, startCodeServer, workbenchUrl } from '../../../scripts/editor/code_server.mjs';
import { createProfile } from '../../../scripts/editor/profile.mjs';
import { Failure } from '../../../scripts/failure.mjs';
import { DIST, ROOT, SAMPLES } from '../../../scripts/paths.mjs';

/** The longest the suite may take before the editor is taken to hang. */
const SUITE_MS = 10 * 60_000;

/**
 * Runs the mocha suite inside the extension host of a code-server that has the package installed. The workbench in the
 * browser starts the run and is told how it ended.
 * @param {import('../../../scripts/setup/code_server.mjs').CodeServer} codeServer
 * @param {string} vsix
 * @param {{ log: string, results: string }} files `results`: where the tests write their outcomes
 */
export async function runInCodeServer(codeServer, vsix, { log, results }) {
  mkdirSync(dirname(results), { recursive: true });
  const profile = createProfile(SAMPLES);
  try {
    await installExtension(codeServer, profile, vsix, log);
    const server = await startCodeServer(codeServer, profile, {
      log: log.replace(/\.log$/, '-server.log'),
      environment: { EMBERLINE_TEST_RESULTS: results },
    });
    try {
      await runFromWorkbench(server, profile.workspace, log);
    } finally {
      await server.stop();
    }
  } finally {
    profile.remove();
  }
  if (!existsSync(results)) throw new Failure('The extension host ended without results.', log);
}

/**
 * @param {import('../../../scripts/editor/code_server.mjs').RunningServer} server
 * @param {string} workspace
 * @param {string} log
 */
async function runFromWorkbench(server, workspace, log) {
  const remote = `vscode-remote://${new URL(server.url).host}`;
  const url = workbenchUrl(server, workspace, [
    ['extensionDevelopmentPath', remote + join(ROOT, 'test', 'vscode', 'harness')],
    ['extensionTestsPath', remote + join(DIST, 'test', 'vscode', 'runner', 'mocha_entry.cjs')],
  ]);
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    /** @type {Promise<void>} */
    const over = new Promise((resolve) => {
      // The workbench calls these two in the page.
      void page.exposeFunction('codeAutomationExit', () => resolve());
      void page.exposeFunction(
        'codeAutomationLog',
        (/** @type {string} */ level, /** @type {unknown} */ words) => {
          writeFileSync(log, `[${level}] ${format(...[words].flat())}\n`, { flag: 'a' });
        },
      );
    });
    await page.goto(url, { waitUntil: 'domcontentloaded' });
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const tooLong = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Failure('The tests in the editor did not end.', log)), SUITE_MS);
    });
    try {
      await Promise.race([over, tooLong]);
    } catch (error) {
      await page.screenshot({ path: log.replace(/\.log$/, '.png') });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  } finally {
    await browser.close();
  }
}
