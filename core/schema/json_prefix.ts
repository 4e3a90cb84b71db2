/**
 * From the text around the cursor of a JSON document to what a grammar of such documents has to read first: canonical text before
 * the cursor, cut where the model begins to write.
 *
 * The model spells the last word before the cursor again (healing.ts). The grammar reads what it spells, so the two have to agree
 * on where it begins, and the whitespace it spells has to be what the layout has there; else less is spelled again.
 */
import { type Healed, heal } from '../completion/healing';
import type { NativeLayout } from '../engine/native_grammar';
import { canonicalString } from './canonical';
import { type OpenContainer, type Reading, readJson } from './json_reader';
import { tokensOf } from './json_tokens';

/** Whitespace that is left to a free layout, at most; the grammar has a bound of its own. */
const MOST_BLANKS = 32;

export interface JsonPrefix {
  /** What the grammar reads before the model writes. */
  readonly text: string;
  /** The same, as if the members right of the cursor stood before it, where that says more. */
  readonly textWithMembersBehind: string | undefined;
  readonly layout: NativeLayout;
  readonly healed: Healed;
  /** Whether something has to follow: the line cannot end here. */
  readonly goesOn: boolean;
  /** Decoded keys of all objects before the cursor. */
  readonly keys: ReadonlySet<string>;
  /** The value of `$schema`, where it is a member of the document itself and stands before the cursor. */
  readonly schema: string | undefined;
}

/** Why there is none. */
export type Unread = 'unreadable' | 'in_comment';

export interface Surroundings {
  /** All text before the cursor, line breaks as `\n`. */
  readonly before: string;
  /** Text after it. */
  readonly after: string;
  /** One level of indentation in this editor. */
  readonly unit: string;
}

export function readPrefix({ before, after, unit }: Surroundings): JsonPrefix | Unread {
  const reading = readJson(before);
  if (reading === undefined) return 'unreadable';
  if (reading.partial?.kind === 'comment') return 'in_comment';
  const layout = layoutOf(reading, before, unit);
  const { cut, blanks } = cutFor(reading, before, layout);
  const partial = reading.partial === undefined ? '' : partialText(before.slice(reading.partial.start, cut));
  const end = blanks + partial;
  const behind = membersBehind(reading, after);
  return {
    text: openText(reading, []) + end,
    textWithMembersBehind: behind.length === 0 ? undefined : openText(reading, behind) + end,
    layout,
    healed: { prompt: before.slice(0, cut), requiredPrefix: before.slice(cut) },
    goesOn: goesOn(reading),
    keys: reading.keys,
    schema: schemaOf(reading),
  };
}

const innermostOf = (reading: Reading): OpenContainer | undefined => reading.open.at(-1);

/** Between tokens, the whitespace before the cursor; else that before the token the cursor is in. */
function blanksBefore(reading: Reading, before: string): string {
  return before.slice(reading.end, reading.partial?.start);
}

/** Where the model begins to write, and the whitespace that the grammar reads before that. */
interface Cut {
  readonly cut: number;
  readonly blanks: string;
}

function cutFor(reading: Reading, before: string, layout: NativeLayout): Cut {
  const start = reading.partial?.start ?? before.length;
  const blanks = blanksBefore(reading, before);
  const healed = heal(before).requiredPrefix;
  const wanted = before.length - healed.length;
  // What is escaped may be spelled otherwise.
  if (wanted >= start)
    return { cut: healed.includes('\\') ? before.length : wanted, blanks: given(blanks, layout, reading) };
  if (blanks !== '' && isLaidOut(blanks, layout, reading) && wanted >= reading.end) {
    return { cut: wanted, blanks: before.slice(reading.end, wanted) };
  }
  return { cut: start, blanks: given(blanks, layout, reading) };
}

/** Whether the layout has just this whitespace here. */
function isLaidOut(blanks: string, layout: NativeLayout, reading: Reading): boolean {
  return layout.kind === 'indented'
    ? blanks === indentedBlanks(reading, layout.unit)
    : blanks.length <= MOST_BLANKS;
}

/** The whitespace before the cursor as the layout has it. */
function given(blanks: string, layout: NativeLayout, reading: Reading): string {
  if (blanks === '') return '';
  if (layout.kind === 'indented') return indentedBlanks(reading, layout.unit) ?? '';
  return blanks.slice(0, MOST_BLANKS);
}

/** What an indented layout has between the last token and what comes next; undefined where that depends on what comes. */
function indentedBlanks({ open }: Reading, unit: string): string | undefined {
  const innermost = open.at(-1);
  if (innermost === undefined || innermost.kind === 'document') return '';
  switch (innermost.expects) {
    case 'colon':
      return '';
    case 'value':
      return ' ';
    case 'comma':
      return undefined;
    default:
      if (isOnOneLine(innermost)) return innermost.expects === 'next_item' ? ' ' : '';
      return `\n${unit.repeat(open.length - 1)}`;
  }
}

/**
 * The document's own layout, where all that is open is laid out like that: each member and item on a line of its own, or the
 * innermost array on one. Else, and
 * where the cursor is at a place that such a layout does not have, any whitespace may come.
 */
function layoutOf(reading: Reading, before: string, fallback: string): NativeLayout {
  const free: NativeLayout = { kind: 'free' };
  const { open } = reading;
  const unit = indentOf(open[1]?.lead) ?? fallback;
  if (unit === '' || unit.length > 16) return free;
  const blanks = blanksBefore(reading, before);
  for (const [depth, container] of open.entries()) {
    const { lead } = container;
    if (depth === 0 || (depth === open.length - 1 && isOnOneLine(container))) continue;
    // Nothing stands in it: what is before the cursor is all there is to see.
    const seen = lead ?? (depth === open.length - 1 ? blanks : '');
    if (indentOf(seen) !== unit.repeat(depth)) return free;
  }
  const expected = indentedBlanks(reading, unit);
  if (expected === undefined) return blanks === '' ? { kind: 'indented', unit, newline: '\n' } : free;
  const alike = blanks === '' ? reading.partial === undefined || expected === '' : expected !== '';
  const broken = blanks === '' || blanks.includes('\n') === expected.includes('\n');
  return alike && broken ? { kind: 'indented', unit, newline: '\n' } : free;
}

/** True of an array whose first item stands behind its bracket. */
function isOnOneLine({ kind, lead }: OpenContainer): boolean {
  return kind === 'array' && lead?.includes('\n') === false;
}

/** The indentation behind the last line break of what stands between a bracket and what is in it. */
function indentOf(lead: string | undefined): string | undefined {
  return lead === undefined ? undefined : /\n([ \t]*)$/.exec(lead)?.[1];
}

/** The containers as far as they are written, without what the text ends in. */
function openText({ open, partial }: Reading, membersBehind: readonly (readonly [string, string])[]): string {
  const innermost = open.length - 1;
  return open
    .map((container, depth) => {
      const extra = depth === innermost ? membersBehind : [];
      const another = depth < innermost || partial !== undefined;
      return headOf(container, extra, another);
    })
    .join('');
}

/** @param another Whether something more of it is written, behind what it holds. */
function headOf(
  { kind, members, items, key, expects, lead }: OpenContainer,
  extra: readonly (readonly [string, string])[],
  another: boolean,
): string {
  if (kind === 'document') return items.join('');
  if (kind === 'array') {
    const comma = items.length > 0 && (expects === 'next_item' || another) ? ',' : '';
    // Whether its items have lines of their own is seen behind the bracket.
    return `[${lead?.includes('\n') === true ? '\n' : ''}${items.join(',')}${comma}`;
  }
  const written = [...new Map([...extra, ...members])].filter(([name]) => name !== key);
  const text = written.map(([name, value]) => `${name}:${value}`).join(',');
  const begun = key === undefined ? '' : expects === 'colon' ? key : `${key}:`;
  const more = another || begun !== '' || expects !== 'comma';
  return `{${text}${text !== '' && more ? ',' : ''}${begun}`;
}

/** What the text ends in, in its canonical spelling as far as it is written. */
function partialText(raw: string): string {
  if (!raw.startsWith('"')) return raw;
  const escape = /(?:^|[^\\])(?:\\\\)*(\\(?:u[\da-fA-F]{0,3})?)$/.exec(raw)?.[1] ?? '';
  const [token] = tokensOf(`${raw.slice(0, raw.length - escape.length)}"`);
  return canonicalString(token?.value ?? '').slice(0, -1) + escape;
}

/** Members of the object the cursor is in that stand behind it, where they can be read. */
function membersBehind(reading: Reading, after: string): readonly (readonly [string, string])[] {
  if (innermostOf(reading)?.kind !== 'object') return [];
  const inString = reading.partial?.kind === 'key' || reading.partial?.kind === 'string';
  const rest = inString ? after.slice(/^(?:[^"\\\n]|\\.)*"/.exec(after)?.[0].length ?? 0) : after;
  for (const skipped of [/^\s*/, /^\s*:[^,}\]\n]*/, /^[^,}\]\n]*/]) {
    const read = readJson(`{${rest.replace(skipped, '')}`, true);
    const object = read?.open[1];
    if (object !== undefined) return [...object.members];
  }
  return [];
}

function goesOn({ open, partial }: Reading): boolean {
  if (partial !== undefined) return partial.kind !== 'scalar';
  const expects = open.at(-1)?.expects;
  return expects === 'value' || expects === 'colon';
}

function schemaOf({ open }: Reading): string | undefined {
  const value = open[1]?.members.get('"$schema"');
  if (value?.startsWith('"') !== true) return undefined;
  const decoded: unknown = JSON.parse(value);
  return typeof decoded === 'string' ? decoded : undefined;
}
