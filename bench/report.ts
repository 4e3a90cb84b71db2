/** What every suite prints: rows of figures, as a table for people or as JSON for programs. */
import { arch, cpus, platform } from 'node:os';

export interface Row {
  /** For example `quality/py-mid-exact`. */
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  /** The same measured with another engine; null where there is none to compare with. */
  readonly peer: number | null;
  /** Above 1 we are ahead, whatever the unit. */
  readonly ratio: number | null;
  /** What `ours` must not be worse than; null where nothing is promised. */
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

export function reportOf(suite: string, rows: readonly Row[]): Report {
  const processors = cpus();
  const machine = `${processors[0]?.model.trim() ?? 'unknown processor'}, ${processors.length} threads, ${platform()}-${arch()}`;
  return { suite, machine, rows };
}

const COLUMNS = ['name', 'ours', 'unit', 'peer', 'ratio', 'floor'] as const;

/** Aligned columns; numbers to the right. */
export function formatReport(report: Report): string {
  const cells = [
    [...COLUMNS],
    ...report.rows.map((row) => COLUMNS.map((column) => formatCell(row[column]))),
  ] as const;
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return COLUMNS[column] === 'name' || COLUMNS[column] === 'unit'
          ? cell.padEnd(width)
          : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
  return [`${report.suite} on ${report.machine}`, ...lines].join('\n');
}

function formatCell(value: string | number | null): string {
  if (value === null) return '-';
  if (typeof value === 'string') return value;
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1);
}
