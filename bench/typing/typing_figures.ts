/** Draws what was typed: how long answers take, how many keys are saved, and how many suggestions are right. */
import { COLOURS, barChart } from '../bar_chart';
import type { Figure } from '../html_page';
import { lineChart, type LinePoint } from '../line_chart';
import type { Judged } from '../precision_curve';
import { precisionFigure } from '../precision_figure';
import { DEBOUNCE_MS, distributionOf } from './clock';
import { savedPercent } from './saved';
import { timesOf } from './typing_rows';
import type { TypedKey } from './typing_session';
import type { Typing } from './typing_suite';

/** Shorter times are drawn as this, ms: they are too short to see. */
const LEAST_MS = 0.1;

const PROMPTS = { ours: COLOURS.blue, 'prompts of others': COLOURS.orange };
/** Behind the name of what is shown however unsure it is, and of others' prompts about which all else is as with ours. */
const ALL = ', all shown';
const SURE = ', else as ours';

/** Throws Failure. */
export async function typingFigures(typing: Typing): Promise<Figure[]> {
  const keys = typing.along.flatMap((one) => one.keys);
  return [
    ...(await timesFigure(keys)),
    ...(await savedFigure(typing)),
    ...(await precisionFigure(judgedOf(keys), 'keys for which the model ran, of who types along')),
  ];
}

async function timesFigure(keys: readonly TypedKey[]): Promise<Figure[]> {
  const series = { 'all keys': false, 'keys that ask the model': true };
  const points = Object.entries(series).flatMap(([name, model]) =>
    distributionOf(timesOf(keys, model)).map(({ ms, share }): LinePoint => ({
      series: name,
      x: Math.max(ms, LEAST_MS),
      y: 100 * share,
    })),
  );
  if (points.length === 0) return [];
  const svg = await lineChart({
    title: ['From a key to its ghost text'],
    points,
    colours: { 'all keys': COLOURS.blue, 'keys that ask the model': COLOURS.orange },
    x: { title: `ms, without the editor's ${DEBOUNCE_MS} (logarithmic scale)`, scale: 'log' },
    y: '% of keys within that time',
    line: 'step',
  });
  return [{ svg, caption: 'An answer that the next key was faster than counts as one that takes longer.' }];
}

async function savedFigure({ ideal, idealOfAll, others }: Typing): Promise<Figure[]> {
  if (others.length === 0) return [];
  const ours = { series: 'ours' };
  const theirs = { series: 'prompts of others' };
  const bars = [
    { ...ours, row: 'Emberline', value: savedPercent(ideal) },
    { ...ours, row: `Emberline${ALL}`, value: savedPercent(idealOfAll) },
    ...others.map(({ prompt, all }) => ({ ...theirs, row: prompt, value: savedPercent(all) })),
    ...others.map(({ prompt, sure }) => ({ ...theirs, row: `${prompt}${SURE}`, value: savedPercent(sure) })),
  ];
  const svg = await barChart({
    title: ['Keys that the ideal user saves'],
    bars,
    colours: PROMPTS,
    axis: { title: '% of all keys', scale: 'linear' },
    barHeight: 17,
    single: true,
  });
  return [
    {
      svg,
      caption:
        'The same model and clock for all. What the prompts of others say is all shown, and begun when the editor asks; or as with ours what is sure enough, begun with the key. The ideal user is not disturbed by what is wrong.',
    },
  ];
}

function judgedOf(keys: readonly TypedKey[]): { judged: Record<string, Judged[]>; of: number } {
  const asked = keys.filter(({ source, time }) => source === 'model' && time?.complete === true);
  const of = (right: 'right' | 'toLineEnd'): Judged[] =>
    asked.flatMap(({ made }) =>
      made === undefined ? [] : [{ certainty: made.certainty, right: made[right] }],
    );
  return {
    judged: { 'right as far as it goes': of('right'), 'right to the line’s end': of('toLineEnd') },
    of: asked.length,
  };
}
