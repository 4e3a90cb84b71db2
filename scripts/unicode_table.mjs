import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Writes a table that is made from the Unicode data of this Node.js; with `--check` on the command line, says whether the file is
 * that table.
 * @param {string} file
 * @param {string} unicode the version that the table is made from
 * @param {() => string} table
 * @param {string} script that makes the file, as it is run from the project's folder
 * @returns {number} the exit status
 */
export function writeOrCheck(file, unicode, table, script) {
  const version = process.versions['unicode'] ?? 'none';
  if (version !== unicode) {
    process.stderr.write(`Unicode ${unicode} is needed; this Node.js has ${version}: use another Node.js.\n`);
    return 1;
  }
  if (!process.argv.includes('--check')) {
    writeFileSync(file, table());
    return 0;
  }
  if (readFileSync(file, 'utf8').replaceAll('\r\n', '\n') === table()) return 0;
  process.stderr.write(`${file} is out of date: run node ${script}.\n`);
  return 1;
}
