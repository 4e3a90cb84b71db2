import { SeededRandom } from '../../../bench/random';
import { TOKEN_TYPE, type Vocabulary } from './families.js';

/** How GPT-2's byte alphabet (Radford et al. 2019) spells each byte. */
function byteSpellings(): string[] {
  const spellings: string[] = [];
  let substitute = 0x100;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    spellings.push(String.fromCodePoint(printable ? byte : substitute++));
  }
  return spellings;
}

/**
 * A vocabulary in which any two bytes merge, in an order that is drawn: wherever a text is cut, the pairs around the cut are others
 * more often than not, so that two ways to split give two texts of tokens.
 */
export function vocabularyOfPairs(pre: string): Vocabulary {
  const bytes = byteSpellings();
  const random = new SeededRandom(20250314);
  const pairs = bytes
    .flatMap((left) => bytes.map((right) => ({ left, right, order: random.next() })))
    .sort((a, b) => a.order - b.order);
  const tokens = [...bytes, ...pairs.map(({ left, right }) => left + right)];
  return {
    pre,
    tokens,
    types: tokens.map(() => TOKEN_TYPE.normal),
    merges: pairs.map(({ left, right }) => `${left} ${right}`),
  };
}

/** What the patterns tell apart, and what looks alike: several of each kind. */
const PARTICLES: readonly string[] = [
  Array.from('abzABZäÄßſKéΩωЯяʰªºǅ\u{1d400}\u{1d41a}日本語々〇한글กあアｱ'),
  Array.from('0129²½Ⅷ①٣๙'),
  Array.from('.,;:!?_-(){}[]<>=+*/\\|&^%$#@~`"«»‘’。、・゛！（ａＡ０€¬'),
  Array.from(' \t\n\r\v\f\u0085\u00a0\u2003\u2028\u202f\u3000'),
  Array.from('\0\u001f\u007f\u200b\u200d\ufeff\ufffd\u00ad\u0378\ue000\u{10ffff}'),
  Array.from('\u0301\u0903\u093e\u20dd\ufe0f\u3099'),
  Array.from('👩🏽🇺'),
  ["'", "'s", "'S", "'ſ", "'ll", "'Re", "'ve", "'l", "n't", '\r\n', '  ', '   ', '\n\n', ' \n', '\t\t', '//'],
].flat();

/** `count` texts of 1 to 24 particles, some of them repeated. */
export function adversarialTexts(count: number): string[] {
  const random = new SeededRandom(19991231);
  return Array.from({ length: count }, () => {
    let text = '';
    for (let left = 1 + random.below(24); left > 0; left--) {
      text += (PARTICLES[random.below(PARTICLES.length)] ?? '').repeat(
        random.below(4) === 0 ? 1 + random.below(4) : 1,
      );
    }
    return text;
  });
}
