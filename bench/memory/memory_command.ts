/** `memory`: fits and judges the weight that the document has in what the model says (native/decode/document_memory.h). */
import type { Command } from 'commander';
import { type EngineArguments, integer, withEngine, withEngineOptions } from '../../cli/engine_options';
import { writeBytes } from '../../cli/files';
import type { Engine } from '../../core/engine/engine';
import { readExpectedCases } from '../completion_case';
import { OpenFiles } from '../open_files';
import { formatReport, ownRow, reportOf, type Row } from '../report';
import {
  LEAST_MATCH,
  type Observation,
  observationsOf,
  OWN_TABLE,
  readObservations,
  tableOf,
} from './observations';
import { FEATURES, fitWeights, gainOf } from './weight_fit';

interface MemoryArguments extends EngineArguments {
  readonly cases?: string;
  readonly promptTokens: number;
  readonly beside: readonly string[];
  readonly write: boolean;
}

/** How often a person who waits is told how far it is, cases. */
const PROGRESS_STEP = 50;

export function addMemorySuite(program: Command): void {
  const command = program
    .command('memory')
    .description("fit the weight of the document's own continuations to what authors wrote")
    .option(
      '--cases <file>',
      'one {id, path, prefix, suffix, expected} a line; default: the table in the repository',
    )
    .option('--prompt-tokens <n>', 'tokens of prompt; 0: as an editor starts', integer(0, 4_096), 700)
    .option('--beside <folder...>', 'where the files of the cases lie, and the others of their packages', [])
    .option('--write', "put the cases' tokens into the table", false);
  withEngineOptions(command).action(async (options: MemoryArguments) => {
    const { cases, write } = options;
    const observations = await (cases === undefined
      ? readObservations(OWN_TABLE)
      : withEngine(options, (engine) => observe(engine, cases, options)));
    if (write) await writeBytes(OWN_TABLE, tableOf(observations));
    console.log(formatReport(reportOf('memory', memoryRows(observations))));
  });
}

async function observe(
  engine: Engine,
  path: string,
  { promptTokens, beside }: MemoryArguments,
): Promise<Observation[]> {
  const observations: Observation[] = [];
  const files = new OpenFiles(beside);
  for (const [place, one] of (await readExpectedCases(path)).entries()) {
    const texts = (await files.besideOf(one)).beside.map(({ text }) => text);
    observations.push(...(await observationsOf(engine, one, place, promptTokens, texts)));
    if ((place + 1) % PROGRESS_STEP === 0) console.error(`${place + 1} places`);
  }
  return observations;
}

/** Weights of all; the gain is judged on each half of the places with the weights of the other. */
function memoryRows(observations: readonly Observation[]): Row[] {
  const half = (odd: number): Observation[] => observations.filter(({ place }) => place % 2 === odd);
  const gain = [0, 1].reduce((sum, odd) => sum + gainOf(fitWeights(half(1 - odd)), half(odd)), 0);
  const weights = fitWeights(observations);
  return [
    ownRow('memory/least-match', 'tokens', LEAST_MATCH),
    ownRow('memory/tokens-with-a-match', 'tokens', observations.length),
    ownRow('memory/gain', 'nats/token', gain / Math.max(1, observations.length), 0),
    ...(['document', 'others'] as const).flatMap((texts) =>
      FEATURES.map((name, at) =>
        ownRow(`memory/${texts}-${name.replace(' ', '-')}`, 'logit', weights[texts][at] ?? 0),
      ),
    ),
  ];
}
