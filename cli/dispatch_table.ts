/** What a device is told for a batch of tokens, as a table: a row a command, and what they come to. */
import type { NativeDispatch } from '../core/engine/native_inspection';

/** `rows`: of the batch. */
export function dispatchLines(dispatches: readonly NativeDispatch[], rows: number): string[] {
  return [
    ...table(
      ['#', 'label', 'kernel', 'threadgroups', 'threads', 'patch', ...BYTES],
      dispatches.map((dispatch, i) => [
        ...[String(i), dispatch.label, dispatch.kernel, dispatch.threadgroups.join('x')],
        ...[String(dispatch.threads), dispatch.patch, ...bytesOf([dispatch])],
      ]),
    ),
    '',
    ...table(
      ['total', 'commands', ...BYTES],
      totals(dispatches, rows).map(([what, part]) => [what, String(part.length), ...bytesOf(part)]),
    ),
  ];
}

const BYTES = ['weight bytes', 'KV bytes a position', 'other bytes'];

function bytesOf(dispatches: readonly NativeDispatch[]): string[] {
  const sum = (bytes: (dispatch: NativeDispatch) => number): string =>
    String(dispatches.reduce((total, dispatch) => total + bytes(dispatch), 0));
  return [sum((one) => one.weightBytes), sum((one) => one.kvBytes), sum((one) => one.otherBytes)];
}

type Total = readonly [what: string, part: readonly NativeDispatch[]];

/** Of layers that are alike one stands for all. */
function totals(dispatches: readonly NativeDispatch[], rows: number): Total[] {
  const layers = new Map<number, NativeDispatch[]>();
  const others: NativeDispatch[] = [];
  for (const dispatch of dispatches) {
    const layer = /^layer (\d+) /.exec(dispatch.label)?.[1];
    if (layer === undefined) others.push(dispatch);
    else layers.set(Number(layer), [...(layers.get(Number(layer)) ?? []), dispatch]);
  }
  const runs: { first: number; last: number; part: NativeDispatch[] }[] = [];
  for (const [layer, part] of layers) {
    const run = runs.at(-1);
    if (run !== undefined && costOf(run.part) === costOf(part)) run.last = layer;
    else runs.push({ first: layer, last: layer, part });
  }
  return [
    ...runs.map(({ first, last, part }): Total => {
      return [first === last ? `layer ${first}` : `each of layers ${first} to ${last}`, part];
    }),
    ['beside the layers', others],
    [rows === 1 ? 'a token' : `a batch of ${rows}`, dispatches],
  ];
}

function costOf(dispatches: readonly NativeDispatch[]): string {
  return [dispatches.length, ...bytesOf(dispatches)].join();
}

/** Columns of numbers are aligned on the right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const cells = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const numeric = head.map((_, column) => rows.every((row) => /^\d+$/.test(row[column] ?? '')));
  return cells.map((row) =>
    row
      .map((cell, i) => (numeric[i] === true ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
