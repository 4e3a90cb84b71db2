import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.mjs';
import { manifest, ROOT } from '../paths.mjs';
import { runNpm } from '../processes.mjs';

/** @typedef {{ packages: Record<string, { version?: string, optional?: boolean, link?: boolean }> }} Lock */

/** Fails when this script is run by a Node.js that package.json does not ask for. */
export function requireNode() {
  const { engines } = /** @type {{ engines: { node: string } }} */ (/** @type {unknown} */ (manifest()));
  const [ours = 0, ourMinor = 0] = process.versions.node.split('.').map(Number);
  const fits = engines.node.split(' || ').some((range) => {
    const [major = 0, minor = 0] = range.replace(/^\D*/, '').split('.').map(Number);
    return (ours === major && ourMinor >= minor) || (ours > major && range.startsWith('>='));
  });
  if (!fits) throw new Failure(`Node.js ${engines.node} is needed; this is ${process.versions.node}.`);
}

/** Whether node_modules holds exactly what package-lock.json says, as npm itself has noted there. */
function installed() {
  const note = join(ROOT, 'node_modules', '.package-lock.json');
  if (!existsSync(note)) return false;
  const wanted = /** @type {Lock} */ (JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  const present = /** @type {Lock} */ (JSON.parse(readFileSync(note, 'utf8')));
  return Object.entries(wanted.packages).every(
    ([path, { version, optional }]) =>
      path === '' ||
      present.packages[path]?.version === version ||
      (optional === true && present.packages[path] === undefined),
  );
}

/**
 * Installs the npm packages of package-lock.json where they are not there yet.
 * @param {import('../progress.mjs').Progress} progress
 */
export async function ensureNodePackages(progress) {
  if (installed()) return;
  await progress.step('install the npm packages', (log) =>
    runNpm(['ci', '--no-audit', '--no-fund'], {
      log,
      failure: 'The npm packages could not be installed: npm ci failed; it needs the npm registry.',
    }),
  );
}
