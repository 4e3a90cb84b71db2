import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { format } from 'node:util';
import { launchChromium } from '../../../scripts/editor/chromium.mjs';
import { installExtension, startCodeServer, workbenchUrl } from '../../../scripts/editor/code_server.mjs';
import { createProfile } from '../../../scripts/editor/profile.mjs';
import { Failure } from '../../../scripts/failure.mjs';
import { ADDON, DIST, KERNEL_LIBRARY, manifest, ROOT, SAMPLES } from '../../../scripts/paths.mjs';

/** The longest the suite may take before the editor is taken to hang. */
const SUITE_MS = 15 * 60_000;

/** Nobody looks at it: little is drawn, and nothing moves. */
const VIEWPORT = { width: 640, height: 480 };
const STILL_SETTINGS = {
  'editor.cursorBlinking': 'solid',
  'editor.minimap.enabled': false,
  'editor.stickyScroll.enabled': false,
  'workbench.reduceMotion': 'on',
};

/**
 * @typedef {object} SuiteRun
 * @property {string} suite the folder of test/vscode whose tests run
 * @property {string} log
 * @property {string} results where the tests write their outcomes
 * @property {Record<string, unknown>} [settings] of the editor from its start
 * @property {string} [nativeFiles] a folder with an addon and compiled kernels that take the place of the installed package's
 */

/**
 * Runs a mocha suite inside the extension host of a code-server that has the package installed. The workbench in the
 * browser starts the run and is told how it ended.
 * @param {import('../../../scripts/setup/code_server.mjs').CodeServer} codeServer
 * @param {string} vsix
 * @param {SuiteRun} run
 */
export async function runInCodeServer(codeServer, vsix, { suite, log, results, settings, nativeFiles }) {
  mkdirSync(dirname(results), { recursive: true });
  const profile = createProfile(SAMPLES, { ...STILL_SETTINGS, ...settings });
  try {
    await installExtension(codeServer, profile, vsix, log);
    if (nativeFiles !== undefined) replaceNativeFiles(profile, nativeFiles);
    const server = await startCodeServer(codeServer, profile, {
      log: log.replace(/\.log$/, '-server.log'),
      environment: {
        EMBERLINE_TEST_SUITE: suite,
        EMBERLINE_TEST_RESULTS: results,
        EMBERLINE_TEST_LOGS: join(profile.userData, 'logs'),
      },
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
 * @param {import('../../../scripts/editor/profile.mjs').Profile} profile where the package is installed
 * @param {string} folder
 */
function replaceNativeFiles(profile, folder) {
  const { name, publisher } = manifest();
  const installed = readdirSync(profile.extensions).find((entry) =>
    entry.startsWith(`${publisher}.${name}-`),
  );
  if (installed === undefined) throw new Failure('code-server has no folder of the installed package.');
  const native = join(profile.extensions, installed, 'dist', 'native');
  for (const file of [ADDON, KERNEL_LIBRARY].map((path) => basename(path))) {
    copyFileSync(join(folder, file), join(native, file));
  }
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
    const page = await browser.newPage({ viewport: VIEWPORT });
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
