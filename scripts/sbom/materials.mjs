/** What a package holds that is not Emberline's own, beside what is bundled: materials.json, with what the installed packages say of themselves. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '../paths.mjs';

/**
 * Whose C++ library is compiled into an addon; `apple`: that of the system, and none is.
 * @typedef {'gcc' | 'zig' | 'msvc' | 'apple'} Runtime
 */

/**
 * @typedef {object} Material
 * @property {string} type of a CycloneDX component
 * @property {string} name
 * @property {string} [version]
 * @property {string} supplier
 * @property {string} [license] an SPDX expression
 * @property {string} [licenseName] where SPDX has none
 * @property {string} where
 * @property {Runtime[]} [runtimes] default: all
 * @property {string} [system] as Node names it; default: all
 * @property {string} [copyright] stands before a licence whose text names nobody
 * @property {boolean} [ancestor] it is not shipped: what is was made from it
 * @property {string} [purl]
 * @property {string} [text] the licence, where its text has to go with the material
 */

const require = createRequire(import.meta.url);

/** @type {(Omit<Material, 'type' | 'name' | 'supplier'> & Partial<Material> & { npm?: string })[]} */
const LISTED = JSON.parse(readFileSync(join(import.meta.dirname, 'materials.json'), 'utf8'));

/** Of these a sentence is enough: what a compiler puts into a program needs no notice. */
const WITHOUT_TEXT = /WITH (?:GCC|LLVM)-exception|^Apache-2\.0$/;

/** @returns {Material[]} of all packages */
export function materials() {
  return LISTED.map(({ npm, ...listed }) =>
    npm === undefined ? withText(listed) : ofPackage(npm, listed.where),
  );
}

/**
 * @param {Runtime} runtime
 * @param {string} target as VS Code's marketplace names it
 * @returns {Material[]} of one package
 */
export function materialsOf(runtime, target) {
  return materials().filter(
    ({ runtimes = [runtime], system }) =>
      runtimes.includes(runtime) && (system === undefined || target.startsWith(`${system}-`)),
  );
}

/** @param {typeof LISTED[number]} listed @returns {Material} */
function withText(listed) {
  const { type, name, supplier, license, copyright } = listed;
  if (type === undefined || name === undefined || supplier === undefined)
    throw new Error(`scripts/sbom/materials.json: ${name} lacks its type, name or supplier.`);
  const known = { ...listed, type, name, supplier };
  if (license === undefined || WITHOUT_TEXT.test(license)) return known;
  const { licenseText } = /** @type {{ licenseText: string }} */ (
    require(`spdx-license-list/licenses/${license}.json`)
  );
  // The template of a notice that nobody has filled in.
  const text = licenseText.replace(/^Copyright \(c\) <year> <owner>\.?\s*/, '');
  return { ...known, text: copyright === undefined ? text : `${copyright}\n\n${text}` };
}

/** @param {string} name @param {string} where @returns {Material} */
function ofPackage(name, where) {
  const folder = join(ROOT, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^LICENSE/i.test(one));
  if (file === undefined) throw new Error(`${name} has no licence file.`);
  const text = readFileSync(join(folder, file), 'utf8');
  const purl = `pkg:npm/${name}@${version}`;
  return { type: 'library', name, version, supplier: 'Node.js project', license, where, purl, text };
}
