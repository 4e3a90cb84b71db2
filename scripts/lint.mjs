/** `npm run lint`: Oxlint, Oxfmt, clang-format, and the page of settings. With `--fix` (`npm run format`) they rewrite what they can. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Failure } from './failure.mjs';
import { ROOT } from './paths.mjs';
import { run, runCommand, runTool } from './processes.mjs';
import { Progress } from './progress.mjs';
import { ensureDebianPackages, FOR_LINT } from './setup/debian_packages.mjs';
import { ensureNodePackages, requireNode } from './setup/node_packages.mjs';
import { checkSettingsPage } from './settings_page.mjs';

/** The C++ files of this tree, new ones included, ignored ones not. */
function nativeFiles() {
  const patterns = ['*.cpp', '*.h', '*.inc', '*.mm', '*.metal'];
  const args = [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '--deduplicate',
    '-z',
    '--',
    ...patterns,
  ];
  const listed = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return listed.split('\0').filter((name) => name !== '' && !name.endsWith('_table.inc'));
}

/** @typedef {{ name: string, run: (log: string, fix: boolean) => Promise<void> }} Check */

/** @type {readonly Check[]} */
export const CHECKS = [
  { name: 'settings page', run: async (_, fix) => checkSettingsPage(fix) },
  {
    name: 'oxfmt',
    run: (log, fix) =>
      runTool('oxfmt/bin/oxfmt', [fix ? '--write' : '--check'], {
        log,
        failure: 'Some files are not formatted as Oxfmt would; `npm run format` mends that.',
      }),
  },
  {
    name: 'oxlint',
    run: (log, fix) =>
      runTool(
        'oxlint/bin/oxlint',
        ['--deny-warnings', '--report-unused-disable-directives', ...(fix ? ['--fix'] : [])],
        { log, failure: 'Oxlint has found faults.' },
      ),
  },
  {
    name: 'clang-format',
    run: (log, fix) =>
      run(
        'clang-format-19',
        [...(fix ? ['-i'] : ['--dry-run', '-Werror']), ...nativeFiles().map((name) => join(ROOT, name))],
        {
          log,
          failure: 'Some C++ files are not formatted as .clang-format says; `npm run format` mends that.',
        },
      ),
  },
];

/** @returns {Promise<number>} */
async function main() {
  const { values } = parseArgs({ options: { fix: { type: 'boolean', default: false } } });
  const progress = new Progress();
  requireNode();
  await ensureDebianPackages(FOR_LINT, progress);
  await ensureNodePackages(progress);
  let faults = 0;
  for (const check of CHECKS) {
    try {
      await progress.step(check.name, (log) => check.run(log, values.fix));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      faults += 1;
    }
  }
  return faults === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
