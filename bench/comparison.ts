/** Compares two quality runs over the same cases: what one has right and the other has not, and whether chance explains it. */
import { Failure } from '../cli/failure';
import { type LinePlace, LINE_PLACES } from './completion_case';
import { byLanguage } from './languages';
import type { Detail } from './quality_details';
import { BLOCK_CHECKS, LINE_CHECKS } from './quality_rows';
import { numbersTable } from './report';
import type { Scored } from './scores';
import { mcnemar } from './statistics';

export interface ComparedRow {
  /** As the quality suite calls it, for example `greedy-py-mid-exact`. */
  readonly name: string;
  readonly places: number;
  /** Percent of the places. */
  readonly a: number;
  readonly b: number;
  /** Percentage points that B is ahead. */
  readonly difference: number;
  /** Places that only one has right. */
  readonly onlyA: number;
  readonly onlyB: number;
  /** How likely at least such a difference is where there is none: McNemar's test, exact, two-sided. */
  readonly p: number;
}

interface Pair {
  readonly a: Detail;
  readonly b: Detail;
}

type Checks = Readonly<Record<string, (one: Scored) => boolean>>;

/** Throws Failure where the runs are of different cases. */
export function compareDetails(a: readonly Detail[], b: readonly Detail[]): ComparedRow[] {
  const pairs = pairsOf(a, b);
  const lines = pairs.filter((pair) => pair.a.place !== 'block');
  const blocks = pairs.filter((pair) => pair.a.place === 'block');
  return [
    ...rowsOf(
      lines.filter((pair) => pair.a.temperature > 0),
      '',
      LINE_PLACES,
      LINE_CHECKS,
    ),
    ...rowsOf(
      lines.filter((pair) => pair.a.temperature === 0),
      'greedy-',
      LINE_PLACES,
      LINE_CHECKS,
    ),
    ...rowsOf(
      blocks.filter((pair) => pair.a.temperature === 0),
      '',
      ['block'],
      BLOCK_CHECKS,
    ),
    ...rowsOf(
      blocks.filter((pair) => pair.a.temperature > 0),
      'suggested-',
      ['block'],
      BLOCK_CHECKS,
    ),
  ];
}

export function formatComparison(rows: readonly ComparedRow[]): string {
  const columns = ['row', 'places', 'A %', 'B %', 'B - A', 'only A', 'only B', 'p'];
  const cells = rows.map(({ name, places, a, b, difference, onlyA, onlyB, p }) => [
    `\`${name}\``,
    String(places),
    a.toFixed(1),
    b.toFixed(1),
    `${difference > 0 ? '+' : ''}${difference.toFixed(1)}`,
    String(onlyA),
    String(onlyB),
    p < 0.001 ? p.toExponential(0) : p.toFixed(3),
  ]);
  return numbersTable(columns, cells).join('\n');
}

/** By language and place, then by place over all languages, then over all. */
function rowsOf(
  pairs: readonly Pair[],
  prefix: string,
  places: readonly (LinePlace | 'block')[],
  checks: Checks,
): ComparedRow[] {
  const groups: { name: string; some: readonly Pair[] }[] = places.flatMap((place) => {
    const here = pairs.filter((pair) => pair.a.place === place);
    return byLanguage(here, ({ a }) => a.path).map(([language, some]) => ({
      name: language === 'all' ? place : `${language}-${place}`,
      some,
    }));
  });
  if (places.length > 1 && pairs.length > 0) groups.push({ name: 'all', some: pairs });
  return groups.flatMap(({ name, some }) =>
    Object.entries(checks).map(([check, holds]) => compared(`${prefix}${name}-${check}`, some, holds)),
  );
}

function compared(name: string, pairs: readonly Pair[], holds: (one: Scored) => boolean): ComparedRow {
  const rights = pairs.map(({ a, b }) => ({ a: holds(a), b: holds(b) }));
  const count = (is: (right: { a: boolean; b: boolean }) => boolean): number => rights.filter(is).length;
  const onlyA = count((right) => right.a && !right.b);
  const onlyB = count((right) => right.b && !right.a);
  const [a, b] = [percentOf(count((right) => right.a)), percentOf(count((right) => right.b))];
  const difference = percentOf(onlyB - onlyA);
  return { name, places: pairs.length, a, b, difference, onlyA, onlyB, p: mcnemar(onlyA, onlyB) };

  function percentOf(some: number): number {
    return (100 * some) / pairs.length;
  }
}

/** What both made in the same way at the same place. */
function pairsOf(a: readonly Detail[], b: readonly Detail[]): Pair[] {
  const keyOf = ({ id, temperature }: Detail): string => `${id} ${temperature}`;
  const others = new Map(b.map((one) => [keyOf(one), one]));
  const pairs = a.flatMap((one) => {
    const other = others.get(keyOf(one));
    return other === undefined ? [] : [{ a: one, b: other }];
  });
  if (pairs.length === 0) fail('The two files have no place in common; measure the same cases twice.');
  const odd = pairs.find((pair) => pair.a.expected !== pair.b.expected || pair.a.path !== pair.b.path);
  if (odd !== undefined) fail(`${odd.a.id} is another place in each file; measure the same cases twice.`);
  const alone = a.length + b.length - 2 * pairs.length;
  if (alone > 0) console.error(`${alone} places are in one of the files only, and left out.`);
  return pairs;
}

function fail(message: string): never {
  throw new Failure({ code: 'INVALID_ARGUMENT', message });
}
