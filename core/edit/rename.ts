/**
 * The grammar of a rename: each line that has the old name, with the new one in its place. Where the name stands as such there is
 * no choice; in strings, in comments and behind a dot, where it may mean something else, the model decides.
 */
import { spansOf } from './code_scan';
import { literal } from './edit_format';

/** GBNF of the answer in the form of edit_format.ts; undefined where the name does not occur. */
export function renameGrammar(
  lines: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
  languageId: string,
): string | undefined {
  const text = lines.join('\n');
  const named = new RegExp(`(?<![\\p{L}\\p{N}_$])${from.replace(/\$/g, '\\$&')}(?![\\p{L}\\p{N}_$])`, 'gu');
  const spans = spansOf(text, languageId);
  const parts: string[] = [];
  let offset = 0;
  for (const [index, line] of lines.entries()) {
    const found = [...line.matchAll(named)];
    if (found.length > 0) {
      const break_ = parts.length > 0 ? '\n' : '';
      let at = 0;
      let before = `${break_}${index + 1}|`;
      for (const { index: start } of found) {
        before += line.slice(at, start);
        at = start + from.length;
        if (isPlain(text, offset + start, spans)) {
          before += to;
        } else {
          parts.push(literal(before), `(${literal(to)} | ${literal(from)})`);
          before = '';
        }
      }
      parts.push(literal(before + line.slice(at)));
    }
    offset += line.length + 1;
  }
  return parts.length === 0 ? undefined : `root ::= ${parts.filter((part) => part !== '""').join(' ')}`;
}

/** Whether a name in the text is one of the program's own. */
function isPlain(text: string, at: number, spans: ReturnType<typeof spansOf>): boolean {
  const span = spans.find(({ start, end }) => start <= at && at < end);
  if (span?.kind !== 'code') return false;
  return !/(?<!\.\.)\.\s*$|->\s*$|::\s*$/.test(text.slice(0, at));
}
