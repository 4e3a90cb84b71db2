/** What was measured over the time of a soak, as plots: each as a percentage of the most of it. */
import { COLOURS } from '../bar_chart';
import type { Figure } from '../html_page';
import { lineChart, type LinePoint } from '../line_chart';
import type { Sample } from './self_measurement';

const SERIES: Readonly<
  Record<string, readonly [colour: string, of: (sample: Sample) => number | undefined]>
> = {
  'resident memory': [COLOURS.vermilion, ({ residentBytes }) => residentBytes],
  'JS heap': [COLOURS.blue, ({ heapBytes }) => heapBytes],
  'active resources': [COLOURS.orange, ({ resources }) => resources],
  threads: [COLOURS.purple, ({ threads }) => threads],
  'file descriptors': [COLOURS.green, ({ descriptors }) => descriptors],
};

/** Throws Failure without samples. */
export async function soakFigures(samples: readonly Sample[]): Promise<Figure[]> {
  const points = Object.entries(SERIES).flatMap(([series, [, of]]): LinePoint[] => {
    const known = samples.flatMap((sample) => {
      const value = of(sample);
      return value === undefined ? [] : [{ x: sample.seconds / 60, value }];
    });
    const most = Math.max(...known.map(({ value }) => value), 1);
    return known.map(({ x, value }) => ({ series, x, y: (100 * value) / most }));
  });
  const svg = await lineChart({
    title: ['What a process has while somebody types'],
    points,
    colours: Object.fromEntries(Object.entries(SERIES).map(([series, [colour]]) => [series, colour])),
    x: { title: 'minutes', scale: 'linear' },
    y: 'percent of the most',
    line: 'straight',
  });
  return [{ svg, caption: 'Each figure as a percentage of its largest value in the run.' }];
}
