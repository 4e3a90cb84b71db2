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
