/** What every suite prints: rows of figures, as a table for people or as JSON for programs. */
import { arch, cpus, platform } from 'node:os';
import { type Better, ratioOf } from './statistics';

export interface Row {
  /** For example `quality/py-mid-exact`. */
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  /** The same measured with another engine; null where there is none to compare with. */
  readonly peer: number | null;
  /** Above 1 we are ahead, whatever the unit. */
  readonly ratio: number | null;
  /**
   * Of a figure of quality, what `ours` must not be worse than; of one of speed, the best that the machine's own limits
   * allow. Null where there is none.
   */
  readonly floor: number | null;
}

export interface Report {
  readonly suite: string;
  readonly machine: string;
  readonly rows: readonly Row[];
}

/** A row that no other engine is measured for. */
export function ownRow(name: string, unit: string, ours: number, floor: number | null = null): Row {
  return { name, unit, ours, peer: null, ratio: null, floor };
}

/** A row with what was measured with another engine, or in another way. Of zeros there is no ratio. */
export function besideRow(
  row: Pick<Row, 'name' | 'unit' | 'ours'> & { readonly peer: number },
  better: Better,
  floor: number | null = null,
): Row {
  const { ours, peer } = row;
  return { ...row, ratio: ours === 0 || peer === 0 ? null : ratioOf(ours, peer, better), floor };
}

export function reportOf(suite: string, rows: readonly Row[]): Report {
  const processors = cpus();
  const machine = `${processors[0]?.model.trim() ?? 'unknown processor'}, ${processors.length} threads, ${platform()}-${arch()}`;
  return { suite, machine, rows };
}

/** Units of the speed suites, and which way is ahead. */
const SPEED_UNITS: Readonly<Record<string, Better>> = { 'tok/s': 'higher', ms: 'lower' };

/** A table's column: what stands in it, and on which side. */
export interface Column {
  readonly title: string;
  readonly side: 'left' | 'right';
  readonly cell: (row: Row) => string;
}

const COLUMNS: readonly Column[] = [
  { title: 'name', side: 'left', cell: ({ name }) => name },
  { title: 'ours', side: 'right', cell: ({ ours }) => formatNumber(ours) },
  { title: 'unit', side: 'left', cell: ({ unit }) => unit },
  { title: 'peer', side: 'right', cell: ({ peer }) => formatNumber(peer) },
  { title: 'ratio', side: 'right', cell: ({ ratio }) => formatNumber(ratio) },
  { title: 'floor', side: 'right', cell: ({ floor }) => formatNumber(floor) },
];

/** Only where a floor is a limit of the machine. */
const OF_FLOOR: Column = {
  title: '% of floor',
  side: 'right',
  cell: (row) => {
    const part = partOfFloor(row);
    return part === null ? '-' : String(Math.round(100 * part));
  },
};

/** How near a figure of speed is to what the machine allows, 0 to 1; null of others. */
export function partOfFloor({ unit, ours, floor }: Row): number | null {
  const better = SPEED_UNITS[unit];
  return better === undefined || floor === null ? null : ratioOf(ours, floor, better);
}

/** How many times better than the peer the floor is; null where there is no peer or no floor. */
export function floorRatio({ unit, peer, floor }: Row): number | null {
  const better = SPEED_UNITS[unit];
  return better === undefined || floor === null || peer === null ? null : ratioOf(floor, peer, better);
}

/** The rows' cells, as texts. */
export function reportTable({ rows }: Report): { columns: readonly Column[]; lines: string[][] } {
  const columns = rows.some((row) => partOfFloor(row) !== null) ? [...COLUMNS, OF_FLOOR] : COLUMNS;
  return { columns, lines: rows.map((row) => columns.map(({ cell }) => cell(row))) };
}

/** Aligned columns; numbers to the right. */
export function formatReport(report: Report): string {
  const { columns, lines } = reportTable(report);
  const cells = [columns.map(({ title }) => title), ...lines];
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const padded = cells.map((line) =>
    line
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return columns[column]?.side === 'left' ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
  return [`${report.suite} on ${report.machine}`, ...padded].join('\n');
}

/** One line, for those who wait for the rest. */
export function formatRow({ name, unit, ours, peer, ratio }: Row): string {
  const beside =
    peer === null ? '' : `, the peer ${formatNumber(peer)} ${unit}, ratio ${formatNumber(ratio)}`;
  return `${name}: ${formatNumber(ours)} ${unit}${beside}`;
}

/** The same as a Markdown table. */
export function formatMarkdown(report: Report): string {
  const { columns, lines } = reportTable(report);
  return [`${report.suite} on ${report.machine}`, '', ...markdownTable(columns, lines)].join('\n');
}

/** As it is asked for: as JSON, or as a table, which Markdown reads or people. */
export function reportText(
  report: Report,
  { json = false, markdown = false }: { readonly json?: boolean; readonly markdown?: boolean },
): string {
  if (json) return JSON.stringify(report, null, 2);
  return markdown ? formatMarkdown(report) : formatReport(report);
}

/** The lines of a Markdown table with names in its first column and numbers in the others. */
export function numbersTable(titles: readonly string[], lines: readonly (readonly string[])[]): string[] {
  const columns = titles.map((title, at) => ({ title, side: at === 0 ? 'left' : 'right' }) as const);
  return markdownTable(columns, lines);
}

/** The lines of a Markdown table. */
export function markdownTable(
  columns: readonly Pick<Column, 'title' | 'side'>[],
  lines: readonly (readonly string[])[],
): string[] {
  const head = columns.map(({ title }) => title);
  const rule = columns.map(({ side }) => (side === 'left' ? '---' : '--:'));
  return [head, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`);
}

function formatNumber(value: number | null): string {
  if (value === null) return '-';
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1);
}
