/** A soak for people: what it is held to as a table, and its last figures as rows. */
import { markdownTable, ownRow, type Row } from '../report';
import type { Soaked, Verdict } from './verdicts';

const COLUMNS = ['figure', 'value', 'limit', 'holds'].map((title) => ({ title, side: 'left' as const }));

export function formatVerdicts(verdicts: readonly Verdict[], { done }: Pick<Soaked, 'done'>): string {
  const lines = verdicts.map(({ figure, value, limit, holds, timing }) => {
    const word = holds === undefined ? 'not known' : holds ? 'yes' : 'no';
    return [figure, value, limit, timing ? `${word} (only reported)` : word];
  });
  const counts = Object.entries(done).map(([what, times]) => `${what} ${times}`);
  return [...markdownTable(COLUMNS, lines), '', `Done: ${counts.join(', ')}.`].join('\n');
}

/** The figures at the end. */
export function soakRows({ samples, delay, done }: Soaked): Row[] {
  const last = samples.at(-1);
  if (last === undefined) return [];
  return [
    ownRow('soak/seconds', 's', last.seconds),
    ownRow('soak/resident', 'MiB', last.residentBytes / 2 ** 20),
    ownRow('soak/heap', 'MiB', last.heapBytes / 2 ** 20),
    ownRow('soak/resources', '', last.resources),
    ...(last.threads === undefined ? [] : [ownRow('soak/threads', '', last.threads)]),
    ...(last.descriptors === undefined ? [] : [ownRow('soak/descriptors', '', last.descriptors)]),
    ownRow('soak/log', 'bytes', last.logBytes),
    ownRow('soak/delay-p99.9', 'ms', delay.p999),
    ...Object.entries(done).map(([what, times]) => ownRow(`soak/done ${what}`, '', times)),
  ];
}
