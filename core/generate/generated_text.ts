/**
 * From the pieces a model produces to the text that is inserted, line by line: indented as the document is, without blanks at
 * the end, and over where a reader would say that it is.
 *
 * A small model rarely ends by itself. The text is over where a block has been left, before a line that stands right below the
 * cursor already, and where lines come again and again. A block has been left by a line that is not as deep as the line below the
 * cursor, which goes on with it; and, behind a blank line, by one that is not as deep as the cursor's, or not indented at all after
 * lines that were.
 */
import { UNPRINTABLE } from '../completion/characters';
import { type DocumentSnapshot, lineBefore } from '../completion/document';
import { columnsBefore, indentationIn } from '../completion/indentation';

/** A group of so many lines, or fewer, … */
const MAX_GROUP = 4;
/** … that comes this often in a row is a rut. */
const RUT = 3;

export class GeneratedText {
  private readonly document: DocumentSnapshot;
  /** The next line of text below the cursor. */
  private readonly lineBelow: string;
  /** Columns before the cursor's line, and before the line below; the latter 0 where the cursor is not as deep. */
  private readonly depth: number;
  private readonly depthBelow: number;
  /** What came and was not decided on. */
  private buffer = '';
  /** Line breaks that are inserted once something visible follows. */
  private breaks = '';
  /** Blanks that are inserted once something visible follows on their line. */
  private blanks = '';
  /** What stands on the current line before `buffer`; undefined at the line's start. */
  private line: string | undefined;
  /** Of the cursor's line, where it is blank: the indentation that stands there. */
  private standing = '';
  private indented: boolean;
  private visible = false;
  private readonly lines: string[] = [];
  private ended = false;

  constructor(document: DocumentSnapshot) {
    this.document = document;
    this.lineBelow =
      document.after
        .split('\n')
        .find((line) => line.trim() !== '')
        ?.trimEnd() ?? '';
    const before = lineBefore(document);
    this.indented = /^[ \t]/.test(before);
    if (before.trim() === '') this.standing = before;
    else this.line = before;
    const below = columnsBefore(document, this.lineBelow);
    this.depth = columnsBefore(document, before);
    this.depthBelow = below <= this.depth ? below : 0;
  }

  /** True once nothing more is wanted. */
  get over(): boolean {
    return this.ended;
  }

  /** Takes in a piece, and returns what is to be inserted now; never half a line break. */
  add(piece: string): string {
    this.buffer += piece.replaceAll('\r', '');
    const odd = this.buffer.search(UNPRINTABLE);
    if (odd >= 0) this.buffer = this.buffer.slice(0, odd);
    let inserted = '';
    while (!this.ended) {
      const part = this.line === undefined ? this.takeIndentation() : this.takeRestOfLine();
      if (part === undefined) break;
      inserted += part;
    }
    if (odd >= 0) this.ended = true;
    return inserted;
  }

  /** What is left when the model is through. */
  end(): string {
    const undecided = !this.ended && this.line === undefined && this.buffer.trim() !== '';
    const wanted = undecided && (this.standing + this.buffer).trimEnd() !== this.lineBelow;
    this.ended = true;
    return wanted ? this.openLine() + this.buffer.trimEnd() : '';
  }

  /** At a line's start: decides whether the line is wanted. Undefined until more is known. */
  private takeIndentation(): string | undefined {
    const first = this.buffer.search(/[^ \t]/);
    if (first < 0) return undefined;
    if (this.buffer[first] === '\n') {
      this.breaks += '\n';
      this.standing = '';
      this.buffer = this.buffer.slice(first + 1);
      return '';
    }
    const indentation = this.standing + this.buffer.slice(0, first);
    const [line = '', ...next] = (this.standing + this.buffer).split('\n');
    const whole = next.length > 0;
    if (this.leavesBlock(indentation) || (whole && line.trimEnd() === this.lineBelow)) {
      this.ended = true;
      return undefined;
    }
    return whole || !this.lineBelow.startsWith(line.trimEnd()) ? this.openLine() : undefined;
  }

  private openLine(): string {
    const first = Math.max(0, this.buffer.search(/[^ \t]/));
    const added = this.buffer.slice(0, first);
    if (this.standing + added !== '') this.indented = true;
    const opened = this.breaks + indentationIn(this.document, added);
    this.line = this.standing + added;
    this.buffer = this.buffer.slice(first);
    this.breaks = '';
    this.standing = '';
    return opened;
  }

  /** Within a line: all that is visible of it. Undefined until more comes. */
  private takeRestOfLine(): string | undefined {
    if (this.buffer === '') return undefined;
    const end = this.buffer.indexOf('\n');
    const whole = this.blanks + (end < 0 ? this.buffer : this.buffer.slice(0, end));
    const part = whole.trimEnd();
    this.line = (this.line ?? '') + part;
    if (part !== '') this.visible = true;
    if (end < 0) {
      this.blanks = whole.slice(part.length);
      this.buffer = '';
      return part;
    }
    this.blanks = '';
    this.breaks = '\n';
    this.buffer = this.buffer.slice(end + 1);
    this.lines.push(this.line);
    this.line = undefined;
    if (this.inRut()) this.ended = true;
    return part;
  }

  private leavesBlock(indentation: string): boolean {
    if (!this.visible) return false;
    const depth = columnsBefore(this.document, indentation);
    if (depth < this.depthBelow) return true;
    const behindBlank = this.breaks.length > 1;
    return behindBlank && (depth < this.depth || (depth === 0 && this.indented));
  }

  private inRut(): boolean {
    for (let size = 1; size <= MAX_GROUP && size * RUT <= this.lines.length; size++) {
      const tail = this.lines.slice(-size * RUT);
      const group = tail.slice(0, size);
      if (group.some((line) => /\p{L}/u.test(line)) && tail.every((line, at) => line === group[at % size])) {
        return true;
      }
    }
    return false;
  }
}
