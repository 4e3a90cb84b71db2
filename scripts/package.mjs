/** `npm run package`: `dist/emberline-<vscode target>-<version>.vsix`, built from the tree as it stands. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAddon, buildBundles } from './build.mjs';
import { Failure } from './failure.mjs';
import { embeddedModelName, manifest, ROOT, vscodeTarget, vsixPath } from './paths.mjs';
import { runCommand, runTool } from './processes.mjs';
import { Progress } from './progress.mjs';
import { ensureNodePackages, requireNode } from './setup/node_packages.mjs';
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
const ALLOWED = /^(\[Content_Types\]\.xml|extension\/media\/[\w-]+\.(svg|png|md))$/;
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

/** Where there is no history, the first moment that a zip file can name. */
const FIRST_MOMENT = '315532800';

/**
 * The environment in which the same files make the same package, byte for byte: they bear the time of the last commit.
 * https://reproducible-builds.org/specs/source-date-epoch/
 * @returns {NodeJS.ProcessEnv}
 */
function reproducible() {
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' });
  const committed = /^\d+$/m.exec(stdout ?? '')?.[0];
  return { SOURCE_DATE_EPOCH: committed ?? FIRST_MOMENT, ...process.env, TZ: 'UTC' };
}

/**
 * Packages what was built and checks the package's contents.
 * @param {Progress} progress
 * @param {string} [vsix] where
 * @returns {Promise<string>} the path of the package
 */
export async function packageExtension(progress, vsix = vsixPath()) {
  return await progress.step(
    'package the extension',
    async (log) => {
      mkdirSync(dirname(vsix), { recursive: true });
      rmSync(vsix, { force: true });
      await runTool(
        '@vscode/vsce/vsce',
        [
          ...['package', '--no-dependencies', '--target', vscodeTarget(), '--out', vsix],
          // Without a public repository there is nothing that relative links could be made to point to.
          ...(manifest().repository === undefined
            ? ['--allow-missing-repository', '--no-rewrite-relative-links']
            : []),
        ],
        { log, env: reproducible(), failure: 'The extension could not be packaged: vsce failed.' },
      );
      const problems = contentProblems(await packagedFiles(vsix), vscodeTarget());
      if (problems.length > 0) throw new Failure(problems.join(' '), log);
      return vsix;
    },
    () => `${basename(vsix)}, ${(statSync(vsix).size / 1e6).toFixed(1)} MB`,
  );
}

/** @returns {Promise<number>} */
async function main() {
  const progress = new Progress();
  requireNode();
  await ensureToolchain(progress);
  await ensureNodePackages(progress);
  await buildAddon(progress);
  await buildBundles(progress);
  await packageExtension(progress);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
