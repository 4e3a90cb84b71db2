// Writes native/tokenizer/unicode_class_table.inc: the code points where the class (letter, number, white space, other) changes.
//
//   node scripts/generate_unicode_classes.mjs           writes the file
//   import { unicodeClassTable } from '…'               gives its text, for the test that compares the two
//
// The properties come from the JavaScript engine's own Unicode data (General_Category L and N, White_Space), so the version is
// the engine's: run it with a Node.js whose process.versions.unicode is kUnicodeVersion.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export const kUnicodeVersion = '17.0';
export const kTablePath = new URL('../native/tokenizer/unicode_class_table.inc', import.meta.url);

const kOther = 0;
const kLetter = 1;
const kNumber = 2;
const kSpace = 3;

/** @param {number} codePoint */
function classOf(codePoint) {
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return kOther;
  const text = String.fromCodePoint(codePoint);
  if (/^\p{L}$/u.test(text)) return kLetter;
  if (/^\p{N}$/u.test(text)) return kNumber;
  if (/^\p{White_Space}$/u.test(text)) return kSpace;
  return kOther;
}

/** The text of the table; throws where the engine's Unicode version is not the pinned one. */
export function unicodeClassTable() {
  if (process.versions.unicode !== kUnicodeVersion) {
    throw new Error(
      `Unicode ${kUnicodeVersion} is needed and this Node.js has ${process.versions.unicode}: use another Node.js version.`,
    );
  }
  /** @type {string[]} */
  const entries = [];
  let previous = -1;
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    const current = classOf(codePoint);
    if (current !== previous) entries.push(`0x${((codePoint << 2) | current).toString(16)},`);
    previous = current;
  }
  const lines = [
    `// Unicode ${kUnicodeVersion}. Generated: node scripts/generate_unicode_classes.mjs. Do not edit.`,
    '// (first code point of a run << 2) | class; class: 0 other, 1 letter (L), 2 number (N), 3 White_Space.',
    '// clang-format off',
  ];
  for (let i = 0; i < entries.length; i += 12) lines.push(entries.slice(i, i + 12).join(' '));
  lines.push('// clang-format on');
  return `${lines.join('\n')}\n`;
}

/** The committed table's text, line endings normalised. */
export function committedTable() {
  return readFileSync(kTablePath, 'utf8').replaceAll('\r\n', '\n');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(kTablePath, unicodeClassTable());
}
