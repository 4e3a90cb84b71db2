/** How an instruction is carried out: the grammar the answer has to follow, and how long it may become. */
import { docstringGrammar } from './docstring';
import {
  additionGrammar,
  editGrammar,
  lineLimit,
  MOST_ADDED,
  MOST_LINES,
  parseAddition,
  parseEdits,
} from './edit_format';
import { requestOfAll } from './instruction';
import type { LineEdit } from './line_edit';
import { parameterGrammar } from './parameter';
import { renameGrammar } from './rename';

/** Lines that may be written at once where there are none. */
const MOST_WRITTEN = 30;
/** Of an answer; whoever waits for more has lost patience. */
const MOST_TOKENS = 1_500;
/** Code has more, letters that no token begins with fewer. */
const UNITS_A_TOKEN = 2.5;
/** Units of text that are shown at most. */
const MOST_UNITS = 12_000;
/** What no model writes: control characters, which the grammar does not have, and halves of characters. */
const UNWRITABLE =
  // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export interface EditScope {
  /** The lines to edit, or those behind which some are added. */
  readonly lines: readonly string[];
  readonly languageId: string;
  /** One level of indentation. */
  readonly unit: string;
  readonly adds: boolean;
}

export interface EditPlan {
  readonly grammar: string;
  /** Tokens that are enough for an answer of a sensible length. */
  readonly maxTokens: number;
  /** Edits of the lines, counted from 1; undefined for what is no complete answer. */
  readonly parse: (answer: string) => readonly LineEdit[] | undefined;
}

export type NoPlan = 'too_long' | 'no_such_name' | 'not_writable';

/** @param instructions For these lines: each but the first wants the edit before it to be otherwise. */
export function editPlan(instructions: readonly string[], scope: EditScope): EditPlan | NoPlan {
  const { lines, languageId, unit, adds } = scope;
  const units = lines.reduce((sum, line) => sum + line.length + 1, 0);
  if (lines.length > MOST_LINES || units > MOST_UNITS) return 'too_long';
  if (adds) return addition(scope);
  const request = requestOfAll(instructions);
  const parse = (answer: string): readonly LineEdit[] | undefined => parseEdits(answer, lines.length);
  const narrow = ((): string | undefined => {
    switch (request.kind) {
      case 'rename':
        return renameGrammar(lines, request, languageId);
      case 'parameter':
        return parameterGrammar(lines, request, languageId);
      case 'docstring':
        return docstringGrammar(lines, languageId, unit);
      case 'free':
        return undefined;
    }
  })();
  // What is forced may be any text; it is as long as it is.
  if (narrow !== undefined) return { grammar: narrow, maxTokens: narrow.length + 64, parse };
  if (request.kind === 'rename') return 'no_such_name';
  if (lines.some((line) => UNWRITABLE.test(line))) return 'not_writable';
  return { grammar: editGrammar(lines, { unit }), maxTokens: tokensFor(lines), parse };
}

/** Enough for the longest answer that the grammar allows, where lines are few. */
function tokensFor(lines: readonly string[]): number {
  const longest = lines.length * (1 + MOST_ADDED) * lineLimit(lines);
  return Math.min(MOST_TOKENS, Math.round(longest / UNITS_A_TOKEN));
}

/** Behind the last line, or in the place of a blank one. */
function addition({ lines, unit }: EditScope): EditPlan {
  const count = lines.length;
  const blank = lines.at(-1)?.trim() === '';
  return {
    grammar: additionGrammar(lines, { unit }, MOST_WRITTEN),
    maxTokens: 400,
    parse: (answer) => {
      const added = parseAddition(answer);
      return added && [{ first: blank ? count : count + 1, last: count, lines: added }];
    },
  };
}
