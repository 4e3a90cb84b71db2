/** How often each way to decide where a block ends is right, over the same text. */
import { type CompletionCase, documentOf } from '../completion_case';
import { byLanguage } from '../languages';
import { lineOf } from '../closers';
import { parserOf } from '../parsers';
import { numbersTable } from '../report';
import { endsRight, endsStatement } from '../scores';
import { indentationOf } from '../source_lines';
import { mcnemar } from '../statistics';
import { endByLines, endByTree, linesOfText } from './deciders';
import type { Stream } from './streams';

/** What was decided at a place, and what the author wrote there. */
export interface Decided {
  readonly case: CompletionCase;
  /** The model's own end, by indentation and brackets, by the syntax tree. */
  readonly model: string;
  readonly lines: string;
  readonly tree: string;
}

/** Undefined where there is no parser of the language, and where the model wrote nothing. */
export function decidedAt(one: CompletionCase, { text, ended }: Stream): Decided | undefined {
  const parser = parserOf(one.path);
  const all = linesOfText(text);
  // The line in which it was cut says nothing.
  const lines = ended || all.join('\n').length < text.trimEnd().length ? all : all.slice(0, -1);
  if (parser === undefined || (lines[0] ?? '').trim() === '') return undefined;
  const document = documentOf(one);
  const byTree = endByTree(document, lines, parser);
  return { case: one, model: lines.join('\n'), lines: endByLines(document, lines), tree: byTree };
}

/** Of each language and of all: how often each is right, and whether chance explains the difference of the last two. */
export function decidedTable(decided: readonly Decided[]): string[] {
  const groups = byLanguage(decided, (one) => one.case.path);
  const cells = groups.flatMap(([name, some]) =>
    Object.entries(ENDS).map(([end, holds]) => {
      const right = (way: 'model' | 'lines' | 'tree') => some.filter((one) => holds(one, one[way]));
      const alone = (one: 'lines' | 'tree', other: 'lines' | 'tree'): number =>
        right(one).filter((place) => !holds(place, place[other])).length;
      const [onlyLines, onlyTree] = [alone('lines', 'tree'), alone('tree', 'lines')];
      const percent = (count: number): string => ((100 * count) / some.length).toFixed(1);
      const shares = (['model', 'lines', 'tree'] as const).map((way) => percent(right(way).length));
      const differ = some.filter((one) => one.lines !== one.tree).length;
      const p = mcnemar(onlyLines, onlyTree);
      return [
        `${name}, ${end}`,
        `${some.length}`,
        ...shares,
        `${differ}`,
        `${onlyLines}`,
        `${onlyTree}`,
        p.toFixed(3),
      ];
    }),
  );
  const columns = [
    'ends as',
    'places',
    'model %',
    'lines %',
    'tree %',
    'differ',
    'only lines',
    'only tree',
    'p',
  ];
  return numbersTable(columns, cells);
}

/** What a right end is: that of the author's block, or of a statement in it. */
const ENDS = {
  block: ({ case: { expected } }: Decided, text: string) => endsRight({ expected, text }),
  statement: ({ case: { expected, prefix } }: Decided, text: string) =>
    endsStatement({ expected, text }, indentationOf(lineOf(prefix))),
} as const;
