/**
 * Writes native/grammar/regular/unicode_property_table.inc: general categories, scripts and binary properties, for \p{...} in
 * regular expressions.
 *
 *   node scripts/generate_unicode_properties.mjs            writes the file
 *   node scripts/generate_unicode_properties.mjs --check    fails unless the file is what would be written
 *
 * The properties are those of the JavaScript engine's own Unicode data, so it takes a Node.js with the right Unicode version.
 */
import { join } from 'node:path';
import { ROOT } from './paths.mjs';
import { writeOrCheck } from './unicode_table.mjs';

const UNICODE_VERSION = '17.0';
const TABLE = join(ROOT, 'native', 'grammar', 'regular', 'unicode_property_table.inc');
const CATEGORIES =
  'Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn'.split(' ');
const SCRIPTS = (
  'Arabic/Arab Armenian/Armn Balinese/Bali Bengali/Beng Bopomofo/Bopo Braille/Brai Canadian_Aboriginal/Cans Cherokee/Cher ' +
  'Common/Zyyy Coptic/Copt Cyrillic/Cyrl Devanagari/Deva Ethiopic/Ethi Georgian/Geor Glagolitic/Glag Gothic/Goth Greek/Grek ' +
  'Gujarati/Gujr Gurmukhi/Guru Han/Hani Hangul/Hang Hebrew/Hebr Hiragana/Hira Inherited/Zinh Javanese/Java Kannada/Knda ' +
  'Katakana/Kana Khmer/Khmr Lao/Laoo Latin/Latn Malayalam/Mlym Mongolian/Mong Myanmar/Mymr Nko/Nkoo Ogham/Ogam Oriya/Orya ' +
  'Runic/Runr Sinhala/Sinh Sundanese/Sund Syriac/Syrc Tagalog/Tglg Tamil/Taml Telugu/Telu Thaana/Thaa Thai/Thai Tibetan/Tibt ' +
  'Tifinagh/Tfng Vai/Vaii Yi/Yiii'
).split(' ');
const BINARY = 'Alphabetic Emoji ID_Continue ID_Start Lowercase Uppercase White_Space'.split(' ');

const CODE_POINTS = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint);
const ALL = CODE_POINTS.filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
  .map((codePoint) => String.fromCodePoint(codePoint))
  .join('');

/**
 * First and last code points of the runs with a property, surrogates left out.
 * @param {string} property
 * @returns {[number, number][]}
 */
function runs(property) {
  return [...ALL.matchAll(new RegExp(`\\p{${property}}+`, 'gu'))].flatMap(([run]) => {
    const first = run.codePointAt(0) ?? 0;
    const last = run.codePointAt(run.length - (run.charCodeAt(run.length - 1) >> 10 === 0x37 ? 2 : 1)) ?? 0;
    // Nothing has been read between U+D7FF and U+E000.
    return first < 0xd800 && last > 0xdfff
      ? [
          /** @type {[number, number]} */ ([first, 0xd7ff]),
          /** @type {[number, number]} */ ([0xe000, last]),
        ]
      : [/** @type {[number, number]} */ ([first, last])];
  });
}

/**
 * Pairs of a value and how many code points in a row have it, from U+0000 on; `none` where no property holds.
 * @param {string[]} properties
 * @param {number} none
 */
function valueRuns(properties, none) {
  const ranges = properties.flatMap((property, value) =>
    runs(property).map(([first, last]) => ({ first, last, value })),
  );
  ranges.sort((a, b) => a.first - b.first);
  /** @type {[number, number][]} */
  const pairs = [];
  let next = 0;
  for (const { first, last, value } of ranges) {
    if (first > next) pairs.push([none, first - next]);
    pairs.push([value, last + 1 - first]);
    next = last + 1;
  }
  if (next < 0x110000) pairs.push([none, 0x110000 - next]);
  return pairs;
}

/**
 * @param {string} name
 * @param {(string | number)[]} items
 */
function array(name, items) {
  const rows = `${items.join(',')},`.match(/.{1,124},/g) ?? [];
  return [`constexpr ${name}[] = {`, ...rows, '};'];
}

function table() {
  const general = CATEGORIES.map((category) => `gc=${category}`);
  const surrogates = CATEGORIES.indexOf('Cs');
  const scripts = SCRIPTS.map((names) => names.split('/'));
  const packed = (/** @type {[number, number][]} */ pairs) =>
    pairs.map(([value, count]) => count * 256 + value);
  return [
    `// Unicode ${UNICODE_VERSION}. Generated: node scripts/generate_unicode_properties.mjs. Do not edit.`,
    '// Code points from U+0000 on, in runs. Categories and scripts: (how many << 8) | the index of the name, scripts.size() for',
    '// another one. Binary properties: how many have it not, how many have it, and so on in turns.',
    '// clang-format off',
    ...array(
      'std::string_view kCategoryNames',
      CATEGORIES.map((name) => `"${name}"`),
    ),
    ...array('std::uint32_t kCategoryRuns', packed(valueRuns(general, surrogates))),
    ...array(
      'ScriptNames kScriptNames',
      scripts.map(([name, short]) => `{"${name}","${short}"}`),
    ),
    ...array(
      'std::uint32_t kScriptRuns',
      packed(
        valueRuns(
          scripts.map(([name]) => `sc=${name}`),
          scripts.length,
        ),
      ),
    ),
    ...BINARY.flatMap((name) =>
      array(
        `std::uint32_t k${name.replaceAll('_', '')}Runs`,
        runs(name).flatMap(([first, last], i, all) => [
          first - ((all[i - 1]?.[1] ?? -1) + 1),
          last + 1 - first,
        ]),
      ),
    ),
    ...array(
      'BinaryProperty kBinaryProperties',
      BINARY.map((name) => `{"${name}",k${name.replaceAll('_', '')}Runs}`),
    ),
    '// clang-format on',
    '',
  ].join('\n');
}

process.exitCode = writeOrCheck(TABLE, UNICODE_VERSION, table, 'scripts/generate_unicode_properties.mjs');
