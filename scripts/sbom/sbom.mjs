/**
 * `npm run sbom`: the bill of materials of this machine's package, in CycloneDX 1.6, beside it: what is in the bundles as CycloneDX's own generator
 * reads it from what esbuild says, then what is compiled into the addon, and the model.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../failure.mjs';
import { BUILD, embeddedModelName, manifest, ROOT, vscodeTarget, vsixPath } from '../paths.mjs';
import { localizedManifest } from '../localized_manifest.mjs';
import { runCommand } from '../processes.mjs';
import { materialsOf } from './materials.mjs';

/** @typedef {import('./materials.mjs').Material} Material */
/** @typedef {import('./materials.mjs').Runtime} Runtime */
/** @typedef {{ name: string, group?: string, type: string, version?: string, purl?: string, 'bom-ref'?: string, licenses?: unknown, evidence?: { licenses: { license: { text: { content: string } } }[] } } & Record<string, unknown>} Component */
/** @typedef {{ metadata: { component: Component } & Record<string, unknown>, components: Component[], dependencies: { ref: string, dependsOn?: string[] }[] } & Record<string, unknown>} Bom */

const GENERATOR = join(
  ROOT,
  'node_modules',
  '@cyclonedx',
  'cyclonedx-esbuild',
  'bin',
  'cyclonedx-esbuild-cli.js',
);
/** Schemas of ours, one of which is called package.json. */
const OWN = /^core\/schema\/bundled\//;

/** @returns {Bom} of the bundles that the package holds, licences with their texts */
export function bundledBom() {
  const built = join(BUILD, 'packaged_bundles.json');
  if (!existsSync(built)) throw new Failure('There are no bundles; run `npm run build` first.');
  const metafile = JSON.parse(readFileSync(built, 'utf8'), (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).filter(([path]) => !OWN.test(path)))
      : value,
  );
  const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
  try {
    const file = join(folder, 'metafile.json');
    writeFileSync(file, JSON.stringify(metafile));
    const options = [
      '--spec-version',
      '1.6',
      '--gather-license-texts',
      '--output-reproducible',
      '--no-validate',
    ];
    const made = spawnSync(process.execPath, [GENERATOR, ...options, file], { cwd: ROOT, encoding: 'utf8' });
    if (made.status !== 0)
      throw new Failure(`The bill of materials could not be made: ${made.stderr.trim()}`);
    return JSON.parse(made.stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {object} of
 * @param {string} of.target as VS Code's marketplace names it
 * @param {Runtime} of.runtime
 * @param {Uint8Array} of.vsix the package's bytes
 * @returns {Bom}
 */
export function makeSbom({ target, runtime, vsix }) {
  const bom = bundledBom();
  const { publisher, name, version } = manifest();
  const root = bom.metadata.component;
  const added = [
    modelComponent(),
    ...materialsOf(runtime, target)
      .filter(({ ancestor }) => ancestor !== true)
      .map(componentOf),
  ];
  const component = {
    ...root,
    description: String(localizedManifest()['description']),
    purl: `pkg:vscode-extension/${publisher}/${name}@${version}?platform=${target}`,
    hashes: [sha256(vsix)],
  };
  const refs = added.map((one) => String(one['bom-ref']));
  const dependencies = bom.dependencies.map((one) =>
    one.ref === root['bom-ref'] ? { ...one, dependsOn: [...(one.dependsOn ?? []), ...refs] } : one,
  );
  return {
    ...bom,
    metadata: { ...bom.metadata, component },
    components: [...bom.components, ...added],
    dependencies: [...dependencies, ...refs.map((ref) => ({ ref }))],
  };
}

/** @param {Bom} bom @returns {Promise<string | undefined>} what is wrong with it, by CycloneDX's schema; undefined where nothing is */
export async function sbomProblem(bom) {
  const { Spec, Validation } = await import('@cyclonedx/cyclonedx-library');
  const found = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(JSON.stringify(bom));
  return found === null ? undefined : JSON.stringify(found);
}

/** Whose C++ library the addon of this machine's own compiler holds. @returns {Runtime} */
export function ownRuntime() {
  if (process.platform === 'win32') return 'msvc';
  return process.platform === 'darwin' ? 'apple' : 'gcc';
}

/** Where the bill of materials of a package lies: beside it. @param {string} vsix */
export const sbomPath = (vsix) => vsix.replace(/\.vsix$/, '.cdx.json');

/**
 * Writes the bill of materials beside a package.
 * @param {{ target: string, runtime: Runtime, vsix: string }} of
 */
export async function writeSbom({ target, runtime, vsix }) {
  const bom = makeSbom({ target, runtime, vsix: readFileSync(vsix) });
  const problem = await sbomProblem(bom);
  if (problem !== undefined)
    throw new Failure(`The bill of materials is not as CycloneDX wants it: ${problem}`);
  writeFileSync(sbomPath(vsix), `${JSON.stringify(bom, null, 2)}\n`);
}

/** @returns {Component} */
function modelComponent() {
  const name = embeddedModelName();
  const [ancestor] = materialsOf('gcc', 'linux-x64').filter((one) => one.ancestor === true);
  if (ancestor === undefined)
    throw new Error('scripts/sbom/materials.json does not say what the model was made from.');
  return {
    type: 'machine-learning-model',
    name,
    version: manifest().version,
    'bom-ref': name,
    supplier: { name: 'Emberline' },
    licenses: [{ license: { id: 'Apache-2.0' } }],
    hashes: [sha256(readFileSync(join(ROOT, 'models', name)))],
    pedigree: {
      ancestors: [componentOf(ancestor)],
      notes: 'Taught on source text: models/README.md, models/NOTICES.md.',
    },
    modelCard: {
      modelParameters: {
        task: 'code completion',
        architectureFamily: 'llama',
        modelArchitecture: 'llama, 135 million weights, Q4_1',
      },
    },
  };
}

/** @param {Material} material @returns {Component} */
function componentOf({ type, name, version, supplier, license, licenseName, purl, where, copyright }) {
  return {
    type,
    name,
    ...(version === undefined ? {} : { version }),
    'bom-ref': purl ?? name,
    supplier: { name: supplier },
    licenses: [license === undefined ? { license: { name: String(licenseName) } } : licenseOf(license)],
    ...(purl === undefined ? {} : { purl }),
    ...(copyright === undefined ? {} : { copyright }),
    description: where,
  };
}

/** @param {string} license */
function licenseOf(license) {
  return / /.test(license) ? { expression: license } : { license: { id: license } };
}

/** @param {Uint8Array} bytes */
function sha256(bytes) {
  return { alg: 'SHA-256', content: createHash('sha256').update(bytes).digest('hex') };
}

/** @returns {Promise<number>} */
async function main() {
  const vsix = vsixPath();
  if (!existsSync(vsix)) throw new Failure('There is no package; run `npm run package` first.');
  await writeSbom({ target: vscodeTarget(), runtime: ownRuntime(), vsix });
  console.log(sbomPath(vsix));
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
