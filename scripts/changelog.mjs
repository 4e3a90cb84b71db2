/** `node scripts/changelog.mjs [VERSION]`: what CHANGELOG.md says of a release, default the version of package.json; its release's notes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from './failure.mjs';
import { manifest, ROOT } from './paths.mjs';
import { runCommand } from './processes.mjs';

/**
 * @param {string} changelog in the format of keepachangelog.com
 * @param {string} version for example `0.1.0`
 * @returns {string | undefined} the section's text without its heading; undefined where there is none, or nothing in it
 */
export function sectionOf(changelog, version) {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((one) => /^\[([^\]]+)\]/.exec(one)?.[1] === version);
  const text = section?.slice(section.indexOf('\n') + 1).trim();
  return text === '' ? undefined : text;
}

/** @returns {Promise<number>} */
async function main() {
  const [version = manifest().version] = process.argv.slice(2);
  const text = sectionOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
  if (text === undefined) throw new Failure(`CHANGELOG.md has no section [${version}], or nothing in it.`);
  console.log(text);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
