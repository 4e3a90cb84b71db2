import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sum } from '../counts.mjs';
import { Failure } from '../failure.mjs';
import { contentProblems, packagedFiles } from '../package.mjs';
import { BUILD, embeddedModelName, ROOT, vscodeTarget, vsixPath } from '../paths.mjs';
import { materialsOf } from '../sbom/materials.mjs';
import { checkNotices } from '../sbom/notices.mjs';
import { ownRuntime, sbomPath } from '../sbom/sbom.mjs';
import { FOR_BUILDING } from '../setup/debian_packages.mjs';
import { check } from './checks.mjs';

/**
 * What is wrong with the bill of materials of the package: what it says of the files, and what it leaves out.
 * @returns {string[]}
 */
function sbomProblems() {
  /** @type {import('../sbom/sbom.mjs').Bom} */
  const bom = JSON.parse(readFileSync(sbomPath(vsixPath()), 'utf8'));
  const sha256 = (/** @type {string} */ file) =>
    createHash('sha256').update(readFileSync(file)).digest('hex');
  const said = JSON.stringify(bom);
  const model = embeddedModelName();
  const packages = Object.keys(
    JSON.parse(readFileSync(join(BUILD, 'packaged_bundles.json'), 'utf8')).inputs,
  ).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return [
    ...[vsixPath(), join(ROOT, 'models', model)]
      .filter((file) => !said.includes(sha256(file)))
      .map((file) => `It has no checksum of ${basename(file)}.`),
    ...[...new Set(packages)]
      .filter(
        (name) => !bom.components.some((one) => [one['group'], one.name].filter(Boolean).join('/') === name),
      )
      .map((name) => `${name} is bundled, and it does not say so.`),
    ...materialsOf(ownRuntime(), vscodeTarget())
      .filter(({ name, ancestor }) => ancestor !== true && !bom.components.some((one) => one.name === name))
      .map(({ name }) => `${name} is in the package, and it does not say so.`),
    ...bom.components
      .filter(({ licenses }) => !Array.isArray(licenses) || licenses.length === 0)
      .map(({ name }) => `It has no licence of ${name}.`),
  ];
}

/**
 * The package holds what it must and nothing else.
 * @type {import('./stage.mjs').Stage}
 */
export const packaged = {
  name: 'package',
  requirements: FOR_BUILDING,
  needs: ['vsix'],
  run: async (progress) =>
    sum([
      await check(progress, "the package's contents", async () => {
        const problems = contentProblems(await packagedFiles(vsixPath()), vscodeTarget());
        if (problems.length > 0) throw new Failure(problems.join(' '));
      }),
      await check(progress, "the package's bill of materials", async () => {
        const problems = sbomProblems();
        if (problems.length > 0) throw new Failure(problems.join(' '));
      }),
      await check(progress, 'the notices of third parties', () => checkNotices(false)),
    ]),
};
