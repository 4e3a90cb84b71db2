/** Indentation as a document writes its own. */
import type { DocumentSnapshot } from './document';

/**
 * Blanks a model wrote at the start of a line, in tabs or spaces as the document has them. Behind tabs fewer spaces than make one align the
 * line, and so does a single one more than make levels, as in a comment of several lines.
 */
export function indentationIn(
  { tabs, tabSize }: Pick<DocumentSnapshot, 'tabs' | 'tabSize'>,
  indentation: string,
): string {
  const spaces = indentation.replaceAll('\t', ' '.repeat(tabSize));
  if (!tabs) return spaces;
  const aligning = /^\t+( *)$/.exec(indentation)?.[1];
  if (aligning !== undefined && aligning.length < tabSize) return indentation;
  const aligned = spaces.length % tabSize === 1 ? 1 : 0;
  return '\t'.repeat(Math.round((spaces.length - aligned) / tabSize)) + ' '.repeat(aligned);
}

/** Columns before the first visible character of a line; all of them where there is none. */
export function columnsBefore({ tabSize }: Pick<DocumentSnapshot, 'tabSize'>, line: string): number {
  const blanks = /^[ \t]*/.exec(line)?.[0] ?? '';
  let columns = 0;
  for (const blank of blanks) columns += blank === '\t' ? tabSize - (columns % tabSize) : 1;
  return columns;
}
