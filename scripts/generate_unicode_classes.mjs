/**
 * Writes native/tokenizer/unicode_class_table.inc: where the class of code points changes.
 *
 *   node scripts/generate_unicode_classes.mjs            writes the file
 *   node scripts/generate_unicode_classes.mjs --check    fails unless the file is what would be written
 *
 * The properties are those of the JavaScript engine's own Unicode data (General_Category, White_Space), so it takes a
 * Node.js with the right Unicode version.
 */
import { join } from 'node:path';
import { ROOT } from './paths.mjs';
import { writeOrCheck } from './unicode_table.mjs';

const UNICODE_VERSION = '17.0';
const TABLE = join(ROOT, 'native', 'tokenizer', 'unicode_class_table.inc');
const CLASSES = [
  /^[\p{Lu}\p{Lt}]$/u,
  /^\p{Ll}$/u,
  /^[\p{Lm}\p{Lo}]$/u,
  /^\p{N}$/u,
  /^\p{White_Space}$/u,
  /^\p{M}$/u,
  /^\p{P}$/u,
  /^\p{S}$/u,
];
const CLASS_BITS = 4;

/**
 * The numbers of `UnicodeClass` (native/tokenizer/unicode_class.h).
 * @param {number} codePoint
 */
function classOf(codePoint) {
  const text = String.fromCodePoint(codePoint);
  return CLASSES.findIndex((pattern) => pattern.test(text)) + 1;
}

function table() {
  /** @type {string[]} */
  const runs = [];
  let previous = -1;
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    const current = classOf(codePoint);
    if (current !== previous) runs.push(`0x${((codePoint << CLASS_BITS) | current).toString(16)},`);
    previous = current;
  }
  const lines = [
    `// Unicode ${UNICODE_VERSION}. Generated: node scripts/generate_unicode_classes.mjs. Do not edit.`,
    '// (first code point of a run << 4) | class; the classes are those of unicode_class.h.',
    '// clang-format off',
  ];
  for (let i = 0; i < runs.length; i += 12) lines.push(runs.slice(i, i + 12).join(' '));
  lines.push('// clang-format on', '');
  return lines.join('\n');
}

process.exitCode = writeOrCheck(TABLE, UNICODE_VERSION, table, 'scripts/generate_unicode_classes.mjs');
