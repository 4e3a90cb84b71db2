/** The lines of a document, with where they are: what stands between them stays as it is. */

export interface TextLine {
  /** Without its line break. */
  readonly text: string;
  /** Where it begins, UTF-16 units. */
  readonly start: number;
  /** Its line break; empty for the last line. */
  readonly lineBreak: string;
}

/** At least one line; the last is empty where the text ends with a line break, as editors count. */
export function linesOf(text: string): readonly TextLine[] {
  const lines: TextLine[] = [];
  let start = 0;
  for (const { index, 0: lineBreak } of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ text: text.slice(start, index), start, lineBreak });
    start = index + lineBreak.length;
  }
  lines.push({ text: text.slice(start), start, lineBreak: '' });
  return lines;
}

/** The line break that most lines have; `\n` where there is none. */
export function lineBreakOf(lines: readonly TextLine[]): string {
  const counts = new Map<string, number>();
  for (const { lineBreak } of lines) {
    if (lineBreak !== '') counts.set(lineBreak, (counts.get(lineBreak) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return most?.[0] ?? '\n';
}
