/** A text at the cursor that is to be otherwise: the model reads the one that is shown, then a comment with what is wanted, then where it begins once more. */
import { type DocumentSnapshot, lineAfter, lineBefore, MAX_BEFORE } from '../completion/document';
import { commentLine } from '../completion/languages';

/**
 * @param document As it was before the text.
 * @param shown The text, with what of the line it replaced.
 */
export function askedAgain(
  document: DocumentSnapshot,
  shown: { readonly text: string; readonly replaced: string },
  instruction: string,
): DocumentSnapshot {
  const line = lineBefore(document);
  const [indentation = ''] = /^[ \t]*/.exec(line) ?? [];
  const restOfLine = lineAfter(document).slice(shown.replaced.length);
  const wish = commentLine(document.languageId, `The same again, but ${instruction.replace(/\s+/g, ' ')}:`);
  const before = `${document.before}${shown.text}${restOfLine}\n\n${indentation}${wish}${line}`;
  return { ...document, before: before.slice(-MAX_BEFORE), front: undefined };
}
