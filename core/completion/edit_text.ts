/** An edit as a piece of a prompt: what stood there and what stands there now, as a diff has it. */
import type { Snippet } from './snippets';

export interface Edit {
  /** As the path of a document. */
  readonly path: string;
  readonly languageId: string;
  /** Whole lines, without the last line break; empty where there was nothing, or where nothing is left. */
  readonly before: string;
  readonly after: string;
}

/** An edit with more lines on a side is no detail: they stand there to be read. */
const MOST_LINES = 8;
/** UTF-16 units of a line. */
const MOST_LINE = 120;

/** Undefined where it says nothing: blanks, or whole passages. */
export function editSnippet({ path, languageId, before, after }: Edit): Snippet | undefined {
  const sides = [linesOf(before), linesOf(after)] as const;
  if (sides.some((lines) => lines.length > MOST_LINES)) return undefined;
  const [was, is] = sides.map((lines) => lines.filter((line) => line.trim() !== ''));
  const text = [...marked('-', was), ...marked('+', is)].join('');
  if (text === '' || was?.join('\n') === is?.join('\n')) return undefined;
  return { kind: 'edit', path, languageId, text };
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

function marked(mark: string, lines: readonly string[] = []): readonly string[] {
  return lines.map((line) => `${mark}${line.slice(0, MOST_LINE)}\n`);
}
