/** From what was typed to the figures of `replay keys`. */
import { besideRow, ownRow, type Row } from '../report';
import { median, quantile } from '../statistics';
import { DEBOUNCE_MS, type Timed, timeQuantile } from './clock';
import { leadOf, savedPercent } from './saved';
import type { TypedKey, TypedStretch } from './typing_session';
import type { Typing } from './typing_suite';

/** Times of keys at which the editor asked; with `model`, of those alone for which the model ran. */
export function timesOf(keys: readonly TypedKey[], model: boolean): Timed[] {
  return keys.flatMap(({ time, source }) =>
    time === undefined || (model && source !== 'model') ? [] : [time],
  );
}

/** How long the model's answers took from when they were begun. */
function workOf(keys: readonly TypedKey[]): Timed[] {
  return keys.flatMap(({ work, source }) => (work === undefined || source !== 'model' ? [] : [work]));
}

/** A row that nothing was measured for is left out. */
export function typingRows({ along, ideal, idealOfAll, others, temperature, cold, rested }: Typing): Row[] {
  const saved = savedPercent(ideal);
  return [
    ...alongRows(along.flatMap(({ keys }) => keys)),
    ...figure('temperature', '', temperature),
    ...firstKeyRows('first-key-in-file', cold),
    ...firstKeyRows('first-key-after-rest', rested),
    ownRow('replay/saved', '%', saved),
    ...figure('saved-all-shown', '%', idealOfAll.length === 0 ? undefined : savedPercent(idealOfAll)),
    ...others.flatMap(({ prompt, all, sure }) => [
      savedBeside(`saved-beside-${prompt}`, saved, all),
      savedBeside(`saved-beside-${prompt}-sure`, saved, sure),
      ...leadRows(`lead-over-${prompt}`, ideal, all),
      ...leadRows(`lead-over-${prompt}-sure`, ideal, sure),
    ]),
  ];
}

/** Of who never accepts. */
function alongRows(keys: readonly TypedKey[]): Row[] {
  const fresh = keys.filter((key) => key.fresh);
  const asked = keys.filter(({ time }) => time !== undefined);
  const recomputed = keys.flatMap((key) => key.recomputed ?? []);
  const tokens = (share: number): number | undefined =>
    recomputed.length === 0 ? undefined : quantile(recomputed, share);
  const all = timesOf(keys, false);
  const model = timesOf(keys, true);
  const work = workOf(keys);
  return [
    ownRow('replay/keys', 'keys', keys.length),
    ...percentage('shown', keys, ({ text }) => text !== ''),
    ...percentage('right', fresh, ({ right }) => right),
    ...percentage('right-to-line-end', fresh, ({ toLineEnd }) => toLineEnd),
    ...percentage('flicker', keys, ({ flickers }) => flickers),
    ...percentage('late', asked, ({ time }) => time?.complete === false),
    ...percentage(
      'without-model',
      keys,
      ({ source, sourceBehind }) => source !== 'model' && sourceBehind !== 'model',
    ),
    ...figure('key-to-ghost-p50-ms', 'ms', timeQuantile(all, 0.5)),
    ...figure('key-to-ghost-p95-ms', 'ms', timeQuantile(all, 0.95)),
    ...figure('key-to-model-p50-ms', 'ms', timeQuantile(model, 0.5)),
    ...figure('key-to-model-p95-ms', 'ms', timeQuantile(model, 0.95)),
    ...figure('model-p50-ms', 'ms', timeQuantile(work, 0.5)),
    ...figure('model-p95-ms', 'ms', timeQuantile(work, 0.95)),
    ...figure('recomputed-p50', 'tokens', tokens(0.5)),
    ...figure('recomputed-p95', 'tokens', tokens(0.95)),
  ];
}

/** @param work How long their answers took, ms. */
function firstKeyRows(name: string, work: readonly number[]): Row[] {
  const model = work.length === 0 ? undefined : median(work);
  return [
    ...figure(`${name}-ms`, 'ms', model && Math.max(0, model - DEBOUNCE_MS)),
    ...figure(`${name}-model-ms`, 'ms', model),
  ];
}

function leadRows(name: string, ours: readonly TypedStretch[], theirs: readonly TypedStretch[]): Row[] {
  const { points, error } = leadOf(ours, theirs);
  return [
    ...figure(name, 'points', points),
    ...figure(`${name}-error`, 'points', Number.isNaN(error) ? undefined : error),
  ];
}

function percentage(name: string, of: readonly TypedKey[], holds: (key: TypedKey) => boolean): Row[] {
  return figure(name, '%', of.length === 0 ? undefined : (100 * of.filter(holds).length) / of.length);
}

function figure(name: string, unit: string, value: number | undefined): Row[] {
  return value === undefined ? [] : [ownRow(`replay/${name}`, unit, value)];
}

function savedBeside(name: string, ours: number, theirs: readonly TypedStretch[]): Row {
  return besideRow({ name: `replay/${name}`, unit: '%', ours, peer: savedPercent(theirs) }, 'higher');
}
