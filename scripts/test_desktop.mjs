/**
 * `npm run test:desktop`: the mocha suite inside a desktop VS Code, which is downloaded, with the package installed. Needs a
 * network and a display (`xvfb-run -a npm run test:desktop` will do). Option: `--vscode VERSION` (default: `stable`).
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildAddon, buildBundles } from './build.mjs';
import { sayRetried, summary } from './counts.mjs';
import { packageExtension } from './package.mjs';
import { BUILD } from './paths.mjs';
import { runCommand } from './processes.mjs';
import { Progress } from './progress.mjs';
import { ensureNodePackages, requireNode } from './setup/node_packages.mjs';
import { ensureToolchain } from './setup/toolchain.mjs';
import { clearMocha, countMocha, mochaFigures } from './test/mocha.mjs';

/** @returns {Promise<number>} */
async function main() {
  const { values } = parseArgs({ options: { vscode: { type: 'string', default: 'stable' } } });
  const progress = new Progress();
  requireNode();
  await ensureToolchain(progress);
  await ensureNodePackages(progress);
  const { downloadDesktop, runInDesktop } = await import('../test/vscode/runner/in_desktop.mjs');
  // First, because without a network there is no point in building.
  const executable = await progress.step(`download VS Code ${values.vscode}`, () =>
    downloadDesktop(values.vscode),
  );
  await buildAddon(progress);
  await buildBundles(progress);
  const vsix = await packageExtension(progress);
  const results = join(BUILD, 'results', 'mocha-desktop.json');
  clearMocha(results);
  await progress.step('tests in the extension host', () =>
    runInDesktop(executable, values.vscode, vsix, results),
  );
  for (const figure of mochaFigures(results)) progress.say(`  ${figure}`);
  const counts = countMocha(results, 'extension host');
  sayRetried(progress, counts.retried);
  if (counts.errors.length > 0) console.log(`\n${counts.errors.join('\n\n')}`);
  console.log(`\n${summary(counts)}`);
  return counts.failed === 0 ? 0 : 1;
}

await runCommand(main);
