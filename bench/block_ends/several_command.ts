/** `several`: how many suggestions have several lines, and how many of these end right, by how sure they have to be. */
import type { Command } from 'commander';
import { Failure } from '../../cli/failure';
import { writeBytes } from '../../cli/files';
import { EAGERNESS, LEAST_CERTAINTY } from '../../core/completion/certainty';
import { COLOURS } from '../bar_chart';
import { readExpectedCases } from '../completion_case';
import { lineChart } from '../line_chart';
import { readDetails } from '../quality_details';
import { numbersTable } from '../report';
import { type Asked, RULES, type Shown, shownBy } from './several_lines';

const LEAST = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.65];
const NAMES = { sure: 'as far as it is sure', ended: 'to its end' } as const;
const COLUMNS = [
  'suggested',
  'certainty',
  'places',
  'share %',
  'first line %',
  'end %',
  'all %',
  'right part %',
];

interface SeveralArguments {
  readonly cases: readonly string[];
  readonly details: readonly string[];
  readonly plot?: string;
}

export function addSeveralCommand(program: Command): void {
  program
    .command('several')
    .description('how many suggestions have several lines, and end right, by how sure they have to be')
    .requiredOption('--cases <file...>', 'places where blocks begin')
    .requiredOption('--details <file...>', 'what `quality --drawn --eagerness eager --details` wrote of them')
    .option('--plot <file>', 'write the curves as an SVG')
    .action(async ({ cases, details, plot }: SeveralArguments) => {
      const asked = await askedOf(cases, details);
      const shown: Shown[] = [];
      for (const rule of RULES) for (const least of LEAST) shown.push(await shownBy(asked, rule, least));
      console.log(`${asked.length} places\n`);
      console.log(numbersTable(COLUMNS, shown.map(cellsOf)).join('\n'));
      if (plot !== undefined) await writeBytes(plot, new TextEncoder().encode(await curves(shown)));
    });
}

/** Throws Failure where the details are of other places, or nothing was asked line by line. */
async function askedOf(cases: readonly string[], details: readonly string[]): Promise<Asked[]> {
  const read = await Promise.all(cases.map((file) => readExpectedCases(file)));
  const known = new Map(read.flat().map((one) => [one.id, one]));
  const made = (await Promise.all(details.map((file) => readDetails(file)))).flat();
  const asked = made.flatMap(({ id, lines }) => {
    const one = known.get(id);
    return one === undefined || lines === undefined ? [] : [{ case: one, lines }];
  });
  if (asked.length > 0) return asked;
  const message =
    'The details say of no block of the cases what was asked; run quality --drawn over the cases.';
  throw new Failure({ code: 'INVALID_ARGUMENT', message });
}

function cellsOf({ rule, leastCertainty, several, share, firstLine, end, whole, part }: Shown): string[] {
  const figures = [share, firstLine, end, whole, part].map((one) => one.toFixed(1));
  return [NAMES[rule], leastCertainty.toFixed(2), String(several), ...figures];
}

function curves(shown: readonly Shown[]): Promise<string> {
  const some = shown.filter(({ several }) => several > 0);
  const pointOf = ({ rule, share, end }: Shown) => ({ series: NAMES[rule], x: share, y: end });
  return lineChart({
    title: ['Ends right by how many suggestions have several lines'],
    points: some.map(pointOf).toSorted((a, b) => a.x - b.x),
    colours: { [NAMES.sure]: COLOURS.orange, [NAMES.ended]: COLOURS.blue },
    x: { title: '% of places with several lines', scale: 'linear' },
    y: '% that end where the block does',
    line: 'straight',
    marks: some.flatMap((one) => {
      const label = EAGERNESS.find((name) => LEAST_CERTAINTY[name] === one.leastCertainty);
      return label === undefined ? [] : [{ ...pointOf(one), label }];
    }),
  });
}
