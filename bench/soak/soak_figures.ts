/** What was measured over the time of a soak, as plots: each as a percentage of the most of it. */
import type { Figure } from '../html_page';
import { lineChart, type LinePoint } from '../line_chart';
import type { Sample } from './self_measurement';

const SERIES: Readonly<Record<string, (sample: Sample) => number | undefined>> = {
  'resident memory': ({ residentBytes }) => residentBytes,
  'JS heap': ({ heapBytes }) => heapBytes,
  'active resources': ({ resources }) => resources,
  threads: ({ threads }) => threads,
  'file descriptors': ({ descriptors }) => descriptors,
};
const COLOURS: Readonly<Record<string, string>> = {
  'resident memory': '#c0392b',
  'JS heap': '#2471a3',
  'active resources': '#b7950b',
  threads: '#7d3c98',
  'file descriptors': '#229954',
};

/** Throws Failure without samples. */
export async function soakFigures(samples: readonly Sample[]): Promise<Figure[]> {
  const points = Object.entries(SERIES).flatMap(([series, of]): LinePoint[] => {
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
    colours: COLOURS,
    x: { title: 'minutes', scale: 'linear' },
    y: 'percent of the most',
    line: 'straight',
  });
  return [{ svg, caption: 'Each figure as a percentage of its largest value in the run.' }];
}
