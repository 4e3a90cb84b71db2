/** Indentation as a document writes its own. */
import type { DocumentSnapshot } from './document';

/** Blanks a model wrote at the start of a line, in tabs or spaces as the document has them. */
export function indentationIn(
  { tabs, tabSize }: Pick<DocumentSnapshot, 'tabs' | 'tabSize'>,
  indentation: string,
): string {
  const spaces = indentation.replaceAll('\t', ' '.repeat(tabSize));
  return tabs ? '\t'.repeat(Math.round(spaces.length / tabSize)) : spaces;
}

/** Columns before the first visible character of a line; all of them where there is none. */
export function columnsBefore({ tabSize }: Pick<DocumentSnapshot, 'tabSize'>, line: string): number {
  const blanks = /^[ \t]*/.exec(line)?.[0] ?? '';
  let columns = 0;
  for (const blank of blanks) columns += blank === '\t' ? tabSize - (columns % tabSize) : 1;
  return columns;
}
