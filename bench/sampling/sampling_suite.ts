/** The sampling suite: what it costs to find a nucleus, by every algorithm, and to draw a token. */
import { parsedLines } from '../json_lines';
import { buildNativeProgram } from '../native_programs';
import { outputOf } from '../program_run';
import { besideRow, ownRow, type Row } from '../report';
import type { CapturedLogits } from './captured_logits';

/** A line of the program's output. */
interface Figure {
  readonly name: string;
  readonly us: number;
  /** Tokens kept, on the average. */
  readonly kept: number;
}

/** The algorithm that the others stand beside. */
const NAIVE = 'sort';
/** Of all algorithms, those that are worth a row for distributions of a model. */
const FOR_CAPTURED = /-captured-(chosen|histogram|fastsort|quickselect)$/;
/** The most that is promised, us. */
const PROMISED: Readonly<Record<string, number>> = {
  'topp/151936-nucleus4-chosen': 30,
  'topp/151936-nucleus250-chosen': 30,
  'topp/151936-nucleus10k-chosen': 200,
  'pipeline/49152': 150,
  'pipeline/151936': 400,
};

/** Times of one core; `peer` is the naive sort of the same run. Throws Failure. */
export async function runSampling({ path, vocabulary }: CapturedLogits): Promise<Row[]> {
  const program = await buildNativeProgram('emberline_sampling_bench');
  return samplingRows(await outputOf(program, [path, String(vocabulary)]));
}

/** The rows of the program's output: a line of JSON each. */
export function samplingRows(output: string): Row[] {
  const figures = parsedLines(output) as Figure[];
  const timeOf = new Map(figures.map(({ name, us }) => [name, us]));
  return figures
    .filter(({ name }) => !name.includes('-captured-') || FOR_CAPTURED.test(name))
    .map(({ name, us }) => {
      const naive = timeOf.get(name.replace(/-[a-z]+$/, `-${NAIVE}`));
      const promised = PROMISED[name] ?? null;
      return naive === undefined || name.startsWith('pipeline/')
        ? ownRow(name, 'us', us, promised)
        : besideRow({ name, unit: 'us', ours: us, peer: naive }, 'lower', promised);
    });
}
