/** What suggestions of several lines would be where less or more certainty were asked for: as far as the model is sure, or to their end alone. */
import { BlockLines } from '../../core/completion/block_lines';
import type { DocumentSnapshot } from '../../core/completion/document';
import { lineOf } from '../closers';
import { type CompletionCase, documentOf } from '../completion_case';
import type { LineRecord } from '../line_record';
import { beginsRight, endsRight, endsStatement, isFirstLineRight } from '../scores';
import { indentationOf } from '../source_lines';
import { replayed } from './replay';

/** A place where a block begins, and what the model said of each line where little certainty was asked for. */
export interface Asked {
  readonly case: CompletionCase;
  readonly lines: readonly LineRecord[];
}

/** `sure`: all whole lines that are sure enough; `ended`: as the editor shows them. */
export const RULES = ['sure', 'ended'] as const;
export type Rule = (typeof RULES)[number];

/** What a rule comes to, percent but for the places. */
export interface Shown {
  readonly rule: Rule;
  readonly leastCertainty: number;
  /** Places with a suggestion of several lines. */
  readonly several: number;
  /** Of all places. */
  readonly share: number;
  /** Of those of several lines: as the rows of the quality suite are called. */
  readonly firstLine: number;
  readonly end: number;
  /** All is right, up to its end. */
  readonly whole: number;
  /** Ends with a statement of the block's, which goes on, and all is right up to there. */
  readonly part: number;
}

export async function shownBy(asked: readonly Asked[], rule: Rule, leastCertainty: number): Promise<Shown> {
  const texts = await Promise.all(
    asked.map(async ({ case: one, lines }) => {
      const document = documentOf(one);
      if (rule === 'sure') return { one, text: asFarAsSure(document, lines, leastCertainty) };
      const { text, shown } = await replayed(document, lines, leastCertainty);
      return { one, text: shown ? text : '' };
    }),
  );
  const several = texts
    .filter(({ text }) => text.includes('\n'))
    .map(({ one: { expected, prefix }, text }) => {
      const scored = { expected, text };
      const end = endsRight(scored);
      const right = beginsRight(scored);
      const part = right && !end && endsStatement(scored, indentationOf(lineOf(prefix)));
      return { firstLine: isFirstLineRight(scored), end, whole: right && end, part };
    });
  const percent = (holds: (one: (typeof several)[number]) => boolean): number =>
    several.length === 0 ? 0 : (100 * several.filter(holds).length) / several.length;
  return {
    rule,
    leastCertainty,
    several: several.length,
    share: (100 * several.length) / asked.length,
    firstLine: percent((one) => one.firstLine),
    end: percent((one) => one.end),
    whole: percent((one) => one.whole),
    part: percent((one) => one.part),
  };
}

/** All whole lines that are together sure enough, wherever that ends; empty where not even the first is. */
function asFarAsSure(document: DocumentSnapshot, lines: readonly LineRecord[], least: number): string {
  const [first, ...others] = lines;
  if (first === undefined || !first.shown || first.certainty < least || first.stop === 'unsure') return '';
  const block = new BlockLines(document, first.text);
  if (!block.asksForMore('auto')) return first.text;
  let { certainty } = first;
  for (const line of others) {
    certainty *= line.certainty;
    if (!line.shown || certainty < least || !block.add(line.text) || line.stop === 'end_token') break;
  }
  return block.text;
}
