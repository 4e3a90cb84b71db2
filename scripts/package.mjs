/**
 * `npm run package`: `dist/emberline-<vscode target>-<version>.vsix`, built from the tree as it stands.
 * Options: `--target T`, as often as wanted, for other platforms than this machine's (platforms.mjs), or `--target all`.
 */
import { spawnSync } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildAddon, buildBundles } from './build.mjs';
import { Failure } from './failure.mjs';
import { ADDON, embeddedModelName, KERNEL_LIBRARY, ROOT, vscodeTarget, vsixPath } from './paths.mjs';
import { buildAddonFor, stagePackage, TARGETS } from './platforms.mjs';
import { runCommand, runTool } from './processes.mjs';
import { Progress } from './progress.mjs';
import { publishedRepository } from './published_manifest.mjs';
import { ownRuntime, writeSbom } from './sbom/sbom.mjs';
import { ensureNodePackages, requireNode } from './setup/node_packages.mjs';
import { ensureDebianPackages, FOR_ZIG } from './setup/debian_packages.mjs';
import { ensureToolchain } from './setup/toolchain.mjs';

/** What the package must hold. */
const REQUIRED = [
  'extension.vsixmanifest',
  'extension/package.json',
  'extension/package.nls.json',
  'extension/package.nls.de.json',
  'extension/l10n/bundle.l10n.de.json',
  'extension/readme.md',
  'extension/changelog.md',
  'extension/LICENSE.txt',
  'extension/THIRD_PARTY.md',
  'extension/dist/extension.cjs',
  'extension/dist/trial.cjs',
  'extension/dist/template.cjs',
  'extension/dist/dashboard/page.js',
  'extension/dist/dashboard/page.css',
  'extension/dist/native/emberline.node',
  'extension/media/icon.png',
  `extension/models/${embeddedModelName()}`,
  'extension/models/README.md',
  'extension/models/LICENSE',
  'extension/models/NOTICES.md',
  'extension/models/SHA256SUMS',
];
/** What it may hold besides. */
const ALLOWED = /^(\[Content_Types\]\.xml|extension\/media\/[\w-]+\.(svg|png|gif|md))$/;
/** In packages for macOS, where Apple's compiler for the GPU was there to make it. */
const KERNELS = 'extension/dist/native/emberline.metallib';

/**
 * @param {string} vsix
 * @returns {Promise<string[]>} the names of the files in the package
 */
export async function packagedFiles(vsix) {
  const { openPromise } = await import('yauzl');
  const archive = await openPromise(vsix, { autoClose: true });
  const names = [];
  for await (const entry of archive.eachEntry()) names.push(entry.fileName);
  return names;
}

/**
 * Unpacks the extension that a package holds.
 * @param {string} vsix
 * @param {string} folder what was there before is removed
 */
export async function unpack(vsix, folder) {
  const { openPromise } = await import('yauzl');
  const archive = await openPromise(vsix, { autoClose: true });
  rmSync(folder, { recursive: true, force: true });
  for await (const entry of archive.eachEntry()) {
    if (!entry.fileName.startsWith('extension/')) continue;
    const place = join(folder, entry.fileName.slice('extension/'.length));
    mkdirSync(dirname(place), { recursive: true });
    await pipeline(await archive.openReadStreamPromise(entry), createWriteStream(place));
  }
}

/**
 * What is wrong with a package's list of files, one sentence each; nothing when it is right.
 * @param {readonly string[]} files
 * @param {string} target as VS Code's marketplace names it, for example `darwin-arm64`
 */
export function contentProblems(files, target) {
  const mayHoldKernels = target.startsWith('darwin-');
  return [
    ...REQUIRED.filter((name) => !files.includes(name)).map((name) => `${name} is missing from the package.`),
    ...files
      .filter((name) => !REQUIRED.includes(name) && !ALLOWED.test(name))
      .filter((name) => !(mayHoldKernels && name === KERNELS))
      .map((name) => `${name} does not belong in the package.`),
  ];
}

/** The most that a package may weigh: it is downloaded whole at every update. */
const MOST_BYTES = 105 * 2 ** 20;

/** Where there is no history, the first moment that a zip file can name. */
const FIRST_MOMENT = '315532800';

/**
 * The environment in which the same files make the same package, byte for byte: they bear the time of the last commit. Throws where there is a
 * history that git does not read, such as another user's: nobody could make that package again.
 * https://reproducible-builds.org/specs/source-date-epoch/
 * @param {string} [root] the repository
 * @returns {NodeJS.ProcessEnv}
 */
export function reproducible(root = ROOT) {
  return { SOURCE_DATE_EPOCH: lastCommit(root), ...process.env, TZ: 'UTC' };
}

/** @param {string} root @returns {string} when it was made, in seconds */
function lastCommit(root) {
  const { stdout, stderr } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
  const committed = /^\d+$/m.exec(stdout ?? '')?.[0];
  if (committed !== undefined) return committed;
  if (process.env['SOURCE_DATE_EPOCH'] === undefined && existsSync(join(root, '.git')))
    throw new Failure(
      `git does not tell when the last commit was made; mend that or set SOURCE_DATE_EPOCH. ${stderr ?? ''}`.trimEnd(),
    );
  return FIRST_MOMENT;
}

/**
 * Packages what was built, checks the package's contents and size, and writes its bill of materials beside it.
 * @param {Progress} progress
 * @param {object} [options]
 * @param {string} [options.target] the platform; default: this machine's
 * @param {string} [options.folder] what is packaged, as `stagePackage` lays it out; default: what was built for this machine
 * @param {string} [options.vsix] where the package is written
 * @returns {Promise<string>} the path of the package
 */
export async function packageExtension(
  progress,
  { target = vscodeTarget(), folder, vsix = vsixPath(target) } = {},
) {
  const own = folder === undefined;
  const repository = publishedRepository();
  return await progress.step(
    own ? 'package the extension' : `package the extension for ${target}`,
    async (log) => {
      mkdirSync(dirname(vsix), { recursive: true });
      rmSync(vsix, { force: true });
      await runTool(
        '@vscode/vsce/vsce',
        [
          ...['package', '--no-dependencies', '--target', target, '--out', vsix],
          // Without a public repository there is nothing that relative links could be made to point to.
          ...(repository === undefined ? ['--allow-missing-repository', '--no-rewrite-relative-links'] : []),
        ],
        {
          log,
          cwd: folder ?? stageOwn(),
          env: reproducible(),
          failure: 'The extension could not be packaged: vsce failed.',
        },
      );
      const problems = contentProblems(await packagedFiles(vsix), target);
      const { size } = statSync(vsix);
      if (size > MOST_BYTES)
        problems.push(`The package has ${mebibytes(size)} MiB; ${mebibytes(MOST_BYTES)} are allowed.`);
      if (problems.length > 0) throw new Failure(problems.join(' '), log);
      await writeSbom({ target, runtime: own ? ownRuntime() : 'zig', vsix });
      return vsix;
    },
    () => `${basename(vsix)}, ${(statSync(vsix).size / 1e6).toFixed(1)} MB`,
  );
}

/**
 * What was built for this machine, in a folder of its own: vsce compares every file below its folder with every pattern, and the repository
 * has too many files for that.
 * @returns {string} the folder
 */
function stageOwn() {
  return stagePackage(vscodeTarget(), ADDON, existsSync(KERNEL_LIBRARY) ? KERNEL_LIBRARY : undefined);
}

/** @param {number} bytes */
const mebibytes = (bytes) => (bytes / 2 ** 20).toFixed(1);

/**
 * Builds the addon for another platform and packages it.
 * @param {Progress} progress
 * @param {import('./platforms.mjs').Target} target
 */
export async function packageFor(progress, target) {
  const addon = await buildAddonFor(progress, target);
  return await packageExtension(progress, { target, folder: stagePackage(target, addon) });
}

/**
 * @param {readonly string[]} wanted as the command line has them
 * @returns {import('./platforms.mjs').Target[]}
 */
export function chosenTargets(wanted) {
  const unknown = wanted.filter((name) => name !== 'all' && !TARGETS.some((target) => target === name));
  if (unknown.length > 0)
    throw new Failure(`There is no target ${unknown.join(', ')}; there are all, ${TARGETS.join(', ')}.`);
  return TARGETS.filter((target) => wanted.includes('all') || wanted.includes(target));
}

/** @returns {Promise<number>} */
async function main() {
  const { values } = parseArgs({ options: { target: { type: 'string', multiple: true, default: [] } } });
  const targets = chosenTargets(values.target);
  const progress = new Progress();
  requireNode();
  await ensureToolchain(progress);
  if (targets.length > 0) await ensureDebianPackages(FOR_ZIG, progress);
  await ensureNodePackages(progress);
  if (targets.length === 0) await buildAddon(progress);
  await buildBundles(progress);
  if (targets.length === 0) await packageExtension(progress);
  /** @type {[string, number][]} */
  const rows = [];
  for (const target of targets) rows.push([target, statSync(await packageFor(progress, target)).size]);
  if (rows.length > 0) {
    console.log(`\n| package | bytes | MiB of ${mebibytes(MOST_BYTES)} |\n| --- | ---: | ---: |`);
    for (const [target, size] of rows) console.log(`| ${target} | ${size} | ${mebibytes(size)} |`);
  }
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
