/** Tables of numbers that are kept in the repository: comma-separated, a heading a column. */
import { Failure } from '../cli/failure';
import { readText } from '../cli/files';

export function numberTable(columns: readonly string[], rows: readonly (readonly number[])[]): Uint8Array {
  const lines = rows.map((row) => row.map(shortened).join(','));
  return Buffer.from(`${[columns.join(','), ...lines].join('\n')}\n`);
}

/** A measure to four digits; whole numbers count or name something. */
function shortened(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(4));
}

/** The rows. Throws Failure for a table of other columns. */
export async function readNumberTable(path: string, columns: readonly string[]): Promise<number[][]> {
  const [head, ...lines] = (await readText(path)).trimEnd().split('\n');
  const rows = lines.map((line) => line.split(',').map(Number));
  if (
    head !== columns.join(',') ||
    rows.some((row) => row.length !== columns.length || row.some(Number.isNaN))
  ) {
    throw new Failure({ code: 'INVALID_ARGUMENT', message: `${path} is no table of ${columns.join(', ')}.` });
  }
  return rows;
}
