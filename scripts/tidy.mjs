/** `npm run tidy`: clang-tidy over the C++ files that the last commit or the working tree has changed; `--all`: over all of them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { RELEASE, ROOT } from './paths.mjs';
import { run, runCommand } from './processes.mjs';
import { Progress } from './progress.mjs';
import { ensureDebianPackages, FOR_BUILDING, FOR_NATIVE_TESTS, FOR_TIDY } from './setup/debian_packages.mjs';
import { ensureNodePackages, requireNode } from './setup/node_packages.mjs';
import { Preparations } from './test/preparations.mjs';

/** What the compiler is given: a file of the tree, or one that includes several. @typedef {{ file: string, output: string }} Unit */

/**
 * @param {string} file that is compiled
 * @param {string} [root] the repository; what the folders above it are called says nothing
 * @returns {'product' | 'test' | undefined} whose rules hold; undefined where clang-tidy does not look
 */
export function partOf(file, root = ROOT) {
  const path = `/${relative(root, file)}`;
  if (path.startsWith('/../') || !path.includes('/native/') || path.includes('/native/device/metal/'))
    return undefined;
  return path.includes('/test/') ? 'test' : 'product';
}

/**
 * @returns {Unit[]} those of the engine, the addon and their tests, as the preset `release` compiles them; not those of the Metal device,
 *   which are there when the preset `metal-sim` has been configured in the same folder
 */
function units() {
  /** @type {{ file: string, output?: string, command: string }[]} */
  const entries = JSON.parse(readFileSync(join(RELEASE, 'compile_commands.json'), 'utf8'));
  return entries
    .filter(({ file }) => partOf(file) !== undefined)
    .map(({ file, output, command }) => ({ file, output: output ?? / -o (\S+)/.exec(command)?.[1] ?? '' }));
}

/** @returns {Set<string>} absolute paths of what the last commit and the working tree have changed */
function changedFiles() {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  const commits = Number(git('rev-list', '--count', '--max-count=2', 'HEAD')[0]);
  const names = [
    ...git('diff', '--name-only', '-z', commits > 1 ? 'HEAD~1' : 'HEAD'),
    ...git('ls-files', '--others', '--exclude-standard', '-z'),
  ];
  return new Set(names.filter((name) => /\.(cpp|h|inc)$/.test(name)).map((name) => join(ROOT, name)));
}

/**
 * @param {readonly Unit[]} all
 * @param {Set<string>} files
 * @returns {Unit[]} as few as read each of the files that any of them reads
 */
function unitsReading(all, files) {
  const reads = new Map();
  // An object's name, a colon and a word on it; below, indented, what its compilation read.
  for (const block of execFileSync('ninja', ['-C', RELEASE, '-t', 'deps'], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  }).split('\n\n')) {
    const [head = '', ...paths] = block.split('\n').map((line) => line.trim());
    reads.set(
      head.slice(0, head.indexOf(':')),
      paths.map((path) => (isAbsolute(path) ? path : resolve(RELEASE, path))),
    );
  }
  const left = new Set(files);
  return all.filter(({ output }) => {
    const read = (reads.get(output) ?? []).filter((/** @type {string} */ path) => left.has(path));
    for (const path of read) left.delete(path);
    return read.length > 0;
  });
}

/**
 * Fails when clang-tidy finds something. The preset `release` is built.
 * @param {string} log
 * @param {{ all: boolean }} options
 * @returns {Promise<string>} what was looked at
 */
export async function tidy(log, { all }) {
  const chosen = all ? units() : unitsReading(units(), changedFiles());
  const of = (/** @type {'product' | 'test'} */ part) => chosen.filter(({ file }) => partOf(file) === part);
  await tidyUnits(of('product'), '.clang-tidy', log);
  await tidyUnits(of('test'), 'test/.clang-tidy', log);
  return `${chosen.length} compilations`;
}

/**
 * @param {readonly Unit[]} chosen
 * @param {string} configuration
 * @param {string} log
 */
async function tidyUnits(chosen, configuration, log) {
  if (chosen.length === 0) return;
  const patterns = chosen.map(({ file }) => `^${file.replaceAll(/[.+]/g, '\\$&')}$`);
  const options = ['-quiet', '-p', RELEASE, '-j', String(availableParallelism())];
  await run('run-clang-tidy-22', [...options, `-config-file=${join(ROOT, configuration)}`, ...patterns], {
    log,
    failure: 'clang-tidy has found faults.',
  });
}

/** @returns {Promise<number>} */
async function main() {
  const { values } = parseArgs({ options: { all: { type: 'boolean', default: false } } });
  const progress = new Progress();
  requireNode();
  await ensureDebianPackages([...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_TIDY], progress);
  await ensureNodePackages(progress);
  await new Preparations(progress).get('nativeTests');
  await progress.step(
    'clang-tidy',
    (log) => tidy(log, values),
    (what) => what,
  );
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
