/** From what was typed to the figures of `replay servers`. */
import { besideRow, ownRow, type Row } from '../report';
import type { Better } from '../statistics';
import { timeQuantile } from '../typing/clock';
import { savedPercent } from '../typing/saved';
import { timesOf } from '../typing/typing_rows';
import type { TypedWith } from './servers_suite';

interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly better: Better;
  /** Undefined where nothing was measured. */
  readonly of: (typed: TypedWith) => number | undefined;
}

const FIGURES: readonly Figure[] = [
  ghostTime('key-to-ghost-p50-ms', 0.5, false),
  ghostTime('key-to-ghost-p95-ms', 0.95, false),
  ghostTime('key-to-model-p50-ms', 0.5, true),
  ghostTime('key-to-model-p95-ms', 0.95, true),
  { name: 'late', unit: '%', better: 'lower', of: latePercent },
  { name: 'shown', unit: '%', better: 'higher', of: shownPercent },
  { name: 'saved', unit: '%', better: 'higher', of: ({ sure }) => savedPercent(sure) },
  { name: 'saved-all-shown', unit: '%', better: 'higher', of: ({ all }) => savedPercent(all) },
  {
    name: 'saved-in-time',
    unit: '%',
    better: 'higher',
    of: ({ hasty }) => (hasty.length === 0 ? undefined : savedPercent(hasty)),
  },
];

/** @param typed Ours first. */
export function serversRows([ours, ...others]: readonly TypedWith[]): Row[] {
  if (ours === undefined) return [];
  const keys = ours.along.reduce((sum, one) => sum + one.keys.length, 0);
  return [
    ownRow('servers/keys', 'keys', keys),
    ...others.flatMap((theirs) =>
      FIGURES.flatMap(({ name, unit, better, of }) => {
        const [own, peer] = [of(ours), of(theirs)];
        if (own === undefined || peer === undefined) return [];
        return [besideRow({ name: `servers/${name}/${theirs.name}`, unit, ours: own, peer }, better)];
      }),
    ),
  ];
}

/** @param model Of keys alone for which the model ran. */
function ghostTime(name: string, share: number, model: boolean): Figure {
  return {
    name,
    unit: 'ms',
    better: 'lower',
    of: ({ along }) =>
      timeQuantile(
        timesOf(
          along.flatMap(({ keys }) => keys),
          model,
        ),
        share,
      ),
  };
}

/** Of the answers that an editor would have asked for. */
function latePercent({ along }: TypedWith): number | undefined {
  const due = along.flatMap(({ keys }) => keys).filter(({ late }) => late !== undefined);
  return due.length === 0 ? undefined : (100 * due.filter(({ late }) => late).length) / due.length;
}

function shownPercent({ along }: TypedWith): number | undefined {
  const keys = along.flatMap((one) => one.keys);
  return keys.length === 0 ? undefined : (100 * keys.filter(({ text }) => text !== '').length) / keys.length;
}
