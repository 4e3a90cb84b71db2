/**
 * Which lines make a suggestion of several: where one may go on over lines, and where it is over. Indentation and brackets decide, as they
 * are read in any language: a body is what is deeper than the line that opens it, and a suggestion leaves no more brackets open than it
 * found.
 */
import { type Brackets, brackets } from './brackets';
import { type DocumentSnapshot, JSON_LANGUAGES, lineAfter, lineBefore } from './document';
import { columnsBefore } from './indentation';
import { isCommentLine } from './languages';

/** Where suggestions go on over lines: where code opens a block, nowhere, or wherever a line ends. */
export const MULTILINE = ['auto', 'never', 'always'] as const;
export type Multiline = (typeof MULTILINE)[number];

/** More lines than one reads before one accepts them. */
const MOST_LINES = 12;
/** A line that the next ones belong to. */
const OPENS = /(?:[:{([]|=>|->|\b(?:do|then|else|begin))$/;
/** A line that the next one goes on with. */
const GOES_ON = /(?:[,([{\\.?:&|=<%*/]|[^+]\+|[^-]-|=>|\b(?:and|or|not|in|is))$/;
/** A line that closes a bracket, or what a word opened, and gives no such name a value … */
const CLOSES = /^\s*(?:[)\]}]|(?:end|done|fi|esac)(?![^\s;),]|.*=))/;
/** … or goes on with a statement that a line as deep began. */
const CONTINUES = /^\s*(?:else|elif|elseif|elsif|except|finally|catch)\b/;
/** Texts in which lines are no statements. */
const PROSE = new Set([
  'plaintext',
  'markdown',
  'restructuredtext',
  'latex',
  'tex',
  'git-commit',
  'scminput',
]);

/** Follows a suggestion line by line. */
export class BlockLines {
  private readonly document: DocumentSnapshot;
  /** What stands left of the cursor on its line. */
  private readonly head: string;
  /** Columns before the cursor's line. */
  private readonly depth: number;
  private readonly above: string;
  /** The next line of text, and the one behind it. */
  private readonly below: string;
  private readonly belowThat: string;
  /** Whether a blank line stands in front of it, or there is none. */
  private readonly blankBelow: boolean;
  private readonly lines: string[];
  /** How many of the lines, from the first on, could stand there and nothing more. */
  private whole = 1;

  /** @param first What is suggested on the cursor's line; empty where that line is complete. */
  constructor(document: DocumentSnapshot, first: string) {
    this.document = document;
    this.head = lineBefore(document);
    this.lines = [first];
    this.depth = columnsBefore(document, this.head + first);
    const above = document.before.slice(0, document.before.length - this.head.length).split('\n');
    this.above = above.findLast(isVisible)?.trimEnd() ?? '';
    const [next, ...others] = document.after.split('\n').slice(1);
    this.blankBelow = next === undefined || !isVisible(next);
    const [below = '', belowThat = ''] = [next ?? '', ...others].filter(isVisible);
    this.below = below.trimEnd();
    this.belowThat = belowThat.trimEnd();
  }

  /** Whether more lines should follow the first. */
  asksForMore(multiline: Multiline): boolean {
    if (multiline === 'never' || !takesLines(this.document)) return false;
    // The body is there already.
    if (this.opens && columnsBefore(this.document, this.below) > this.depth) return false;
    if (multiline === 'always' || this.opens || this.inBody) return true;
    const { languageId } = this.document;
    const asked =
      isCommentLine(languageId, this.above) && this.depth === columnsBefore(this.document, this.above);
    return this.head.trim() === '' && asked;
  }

  /** Takes in the next line, indentation and all. False when the suggestion is over before it. */
  add(line: string): boolean {
    if (this.lines.length >= MOST_LINES || this.isOverAt(line.trimEnd())) return false;
    this.lines.push(line.trimEnd());
    if (this.isWhole()) this.whole = this.lines.length;
    return true;
  }

  /**
   * Whether nothing is missing before what would come next: it stands below already, or nothing does and it leaves the body.
   * @param line What would; empty: a blank line, or nothing.
   */
  endBefore(line: string): boolean {
    if (this.whole < this.lines.length) return false;
    if (!isVisible(line)) return this.blankBelow;
    if (this.below === '') return columnsBefore(this.document, line) < this.depth;
    return line.trimEnd() === this.below;
  }

  /** Whether they are whole and nothing stands below. */
  get endDocument(): boolean {
    return this.whole === this.lines.length && this.below === '';
  }

  /** Gives up what is behind the first `count` lines, which were whole. */
  cut(count: number): void {
    this.lines.length = count;
    this.whole = count;
  }

  /** All lines so far. */
  get all(): string {
    return this.lines.join('\n');
  }

  /** How many lines there are up to the last behind which nothing is missing; 1 at least. */
  get count(): number {
    return this.whole;
  }

  /** Those. */
  get text(): string {
    return this.lines.slice(0, this.whole).join('\n');
  }

  /** Whether the cursor's line, with what is suggested on it, opens a body. */
  private get opens(): boolean {
    return OPENS.test((this.head + (this.lines[0] ?? '')).trimEnd());
  }

  /** Whether the cursor's line is the first of a body. */
  private get inBody(): boolean {
    const isFirst = this.head.trim() === '' && OPENS.test(this.above);
    return isFirst && this.depth > columnsBefore(this.document, this.above);
  }

  private isOverAt(line: string): boolean {
    const { lines, below } = this;
    const [made = '', ...others] = lines;
    const first = (this.head + made).trimEnd();
    // Lines that close one bracket after another differ in their depth alone.
    const ofSuggestion = made === '' ? lines : [first, ...others];
    if (line === below || ofSuggestion.slice(-2).every((one) => one === line)) return true;
    // A first line that stands below too may say too little to tell; with the second it does.
    const repeats = lines.length === 1 && first === below;
    if (repeats && line !== '' && line === this.belowThat) return true;
    const depth = columnsBefore(this.document, line);
    const last = (this.lines.length === 1 ? this.head : '') + (this.lines.at(-1) ?? '');
    if (depth > columnsBefore(this.document, last)) return !OPENS.test(last) && !GOES_ON.test(last);
    if (depth < this.depth) return true;
    // What a line opens is to be filled, and what the cursor's line opens ends with it.
    if (OPENS.test(last) && !CLOSES.test(line)) return true;
    return depth === this.depth && this.opens && !this.inBody && !CLOSES.test(line) && !CONTINUES.test(line);
  }

  private isWhole(): boolean {
    const [first = '', ...others] = this.lines;
    const last = others.at(-1) ?? '';
    if (GOES_ON.test(last) && !this.isComment(last)) return false;
    const before = this.openBehind(this.head).missing;
    let { missing: open, quoted } = this.openBehind(this.head + first);
    for (const line of others) {
      if (this.isComment(line)) continue;
      const { closer, missing, quoted: alone } = brackets(line, open);
      if (closer !== undefined) return false;
      open = missing;
      quoted ||= alone;
    }
    return !quoted && (open === '' || open === before || this.closesBelow(open));
  }

  /** What the cursor's line leaves open. It may close what lines above it opened. */
  private openBehind(line: string): Pick<Brackets, 'missing' | 'quoted'> {
    if (this.isComment(line)) return { missing: '', quoted: false };
    const found = brackets(line);
    return found.closer === undefined ? found : this.openBehind(line.slice(found.closer + 1));
  }

  private isComment(line: string): boolean {
    return isCommentLine(this.document.languageId, line);
  }

  /** Whether the next line of text closes these brackets, and is as deep as the one that opened them. */
  private closesBelow(open: string): boolean {
    return this.below.trimStart().startsWith(open) && columnsBefore(this.document, this.below) === this.depth;
  }
}

/** Whether lines may follow at the cursor: nothing stands right of it, and lines are statements there. */
export function takesLines(document: DocumentSnapshot): boolean {
  const { languageId } = document;
  return lineAfter(document).trim() === '' && !PROSE.has(languageId) && !JSON_LANGUAGES.has(languageId);
}

function isVisible(line: string): boolean {
  return line.trim() !== '';
}
