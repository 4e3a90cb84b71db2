import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { downloadAndUnzipVSCode, runTests, runVSCodeCommand, SilentReporter } from '@vscode/test-electron';
import { createProfile } from '../../../scripts/editor/profile.mjs';
import { Failure } from '../../../scripts/failure.mjs';
import { DIST, ROOT, SAMPLES, TOOLS } from '../../../scripts/paths.mjs';

const CACHE = join(TOOLS, 'vscode');

/**
 * Downloads VS Code where it is not there yet.
 * @param {string} version for example `1.95.0` or `stable`
 * @returns {Promise<string>} the path of its executable
 */
export async function downloadDesktop(version) {
  try {
    mkdirSync(CACHE, { recursive: true });
    return await downloadAndUnzipVSCode({
      version,
      cachePath: CACHE,
      timeout: 60_000,
      reporter: new SilentReporter(),
    });
  } catch {
    throw new Failure(
      `VS Code ${version} could not be downloaded: \`npm run test:desktop\` needs a network.`,
    );
  }
}

/**
 * Runs the mocha suite inside a desktop VS Code that has the package installed.
 * @param {string} executable
 * @param {string} version the one that was downloaded
 * @param {string} vsix
 * @param {string} results where the tests write their outcomes
 */
export async function runInDesktop(executable, version, vsix, results) {
  mkdirSync(dirname(results), { recursive: true });
  const profile = createProfile(SAMPLES);
  const places = ['--user-data-dir', profile.userData, '--extensions-dir', profile.extensions];
  try {
    await runVSCodeCommand([...places, '--install-extension', vsix], {
      version,
      cachePath: CACHE,
      reuseMachineInstall: true,
    }).catch((/** @type {unknown} */ error) => {
      throw new Failure(`VS Code did not install the package: ${String(error)}`);
    });
    await runTests({
      vscodeExecutablePath: executable,
      reuseMachineInstall: true,
      extensionDevelopmentPath: join(ROOT, 'test', 'vscode', 'harness'),
      extensionTestsPath: join(DIST, 'test', 'vscode', 'runner', 'mocha_entry.cjs'),
      extensionTestsEnv: {
        EMBERLINE_TEST_RESULTS: results,
        EMBERLINE_TEST_LOGS: join(profile.userData, 'logs'),
      },
      launchArgs: [profile.workspace, ...places, '--disable-workspace-trust', '--disable-updates'],
    }).catch((/** @type {unknown} */ error) => {
      // Failed tests reject too; those have left their results.
      if (!existsSync(results)) throw new Failure(`VS Code did not run the tests: ${String(error)}`);
    });
  } finally {
    profile.remove();
  }
  if (!existsSync(results)) throw new Failure('The extension host ended without results.');
}
