/** What this machine does with the model, beside what its memory allows and what other machines do. */
import type { DashboardData } from '../../../core/statistics/dashboard_data';
import type { ChartFigure, Section } from './figures';
import { percentText, rateText } from './numbers';
import REFERENCE from './reference_machines.json';

const HERE = 'This machine';
const GIGA = 1e9;

export function machineSection({ machine }: DashboardData): Section {
  const rows = REFERENCE.map(({ machine: name, model, decode, prefill }) => [
    name,
    model,
    rateText(decode.rate),
    `${decode.partOfLimit} %`,
    rateText(prefill.rate),
    `${prefill.partOfLimit} %`,
  ]);
  const table = {
    head: ['Machine', 'Model', 'Decode, tokens/s', 'Of its limit', 'Prefill, tokens/s', 'Of its limit'],
    rows,
  };
  const about = {
    id: 'machine',
    title: HERE,
    note: 'The limit of decode is every weight, key and value read once a token; that of prefill, how fast the processor multiplies, is measured by the bench alone. The other machines were measured with it, after 512 tokens of prompt, as here.',
  };
  if (machine === undefined) {
    return { ...about, summary: 'Not measured yet: press “Measure This Machine”.', table };
  }
  const { decodeRate, decodeLimit, prefillRate, prefillLimit, bytesASecond, device, model } = machine;
  const limit =
    decodeLimit === undefined ? '' : `, ${percentText(decodeRate, decodeLimit)} of what its memory allows`;
  const ours = [
    HERE,
    model,
    rateText(decodeRate),
    decodeLimit === undefined ? '–' : percentText(decodeRate, decodeLimit),
    rateText(prefillRate),
    '–',
  ];
  return {
    ...about,
    summary: `${model} writes ${rateText(decodeRate)} tokens/s here${limit}, and reads ${rateText(prefillRate)} tokens/s of a prompt.`,
    facts: [
      ['Device', device],
      ['Memory is read at', knownText(bytesASecond, (value) => `${rateText(value / GIGA)} GB/s`)],
      ['Decode', speedText(decodeRate)],
      ['Decode, its limit', knownText(decodeLimit, speedText)],
      ['Prefill', speedText(prefillRate)],
      ['Prefill, if only memory were read', knownText(prefillLimit, speedText)],
    ],
    chart: decodeChart(machine),
    table: { ...table, rows: [ours, ...rows] },
  };
}

const speedText = (tokensASecond: number): string => `${rateText(tokensASecond)} tokens/s`;

function knownText(value: number | undefined, text: (value: number) => string): string {
  return value === undefined ? 'not known of a GPU' : text(value);
}

/** Other machines stand there where they ran the same model. */
function decodeChart({
  decodeRate,
  decodeLimit,
  embedded,
}: NonNullable<DashboardData['machine']>): ChartFigure {
  const others = REFERENCE.filter((one) => one.embedded && embedded);
  const limits = [decodeLimit ?? 0, ...others.map(({ decode }) => (100 * decode.rate) / decode.partOfLimit)];
  return {
    kind: 'rows',
    unit: 'tokens/s',
    axis: 'Machine',
    labels: [HERE, ...others.map(({ machine }) => machine.replace(/ \(.*/, ''))],
    series: [
      { name: 'Decode', colour: 'blue', values: [decodeRate, ...others.map(({ decode }) => decode.rate)] },
      { name: 'Its limit', colour: 'grey', values: limits },
    ],
    unstacked: true,
  };
}
