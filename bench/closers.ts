/** The brackets and quotes that an editor closes while one types. */
import { OPENER_OF, QUOTES } from '../core/completion/brackets';

const CLOSER_OF: ReadonlyMap<string, string> = new Map(
  [...OPENER_OF].map(([closer, opener]) => [opener, closer]),
);

/** What stands right of the cursor where `line` was typed. */
export function closersBehind(line: string): string {
  const open: string[] = [];
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? '';
    const quote = QUOTES.has(open.at(-1) ?? '') ? open.at(-1) : undefined;
    if (quote !== undefined && character === '\\') at++;
    else if (character === quote || (quote === undefined && open.at(-1) === character)) open.pop();
    else if (quote === undefined) {
      const closer = QUOTES.has(character) ? character : CLOSER_OF.get(character);
      if (closer !== undefined) open.push(closer);
    }
  }
  return open.reverse().join('');
}

/** The cursor's line, up to the cursor. */
export function lineOf(before: string): string {
  return before.slice(before.lastIndexOf('\n') + 1);
}
