/** The speed suites: prepares what they need, measures row by row, and makes the figures of the report. */
import { availableParallelism } from 'node:os';
import { Failure } from '../cli/failure';
import { AGREED_TEXT, checkAgreement } from './agreement';
import { alternate, fastest, type Measured } from './alternation';
import { besideBusyThreads } from './busy_threads';
import { composePrompt } from './composed_prompt';
import {
  type BenchDevice,
  type Command,
  contender,
  forwardCommand,
  ourCommand,
  peerCommands,
  type Prompt,
  type StartWorker,
} from './contenders';
import { idsOf, requestLine } from './line_protocol';
import { loadRows } from './load_rows';
import { ChipLimits } from './metal/chip_limits';
import { type Limits, LimitsReader } from './machine_limits';
import { type ModelUnderTest, nameOfFile, prepareBenchModel, prepareModelFile } from './model_under_test';
import { buildNativeProgram } from './native_programs';
import { ensurePeer, type Peer } from './peer/peer_package';
import { besideRow, formatRow, ownRow, type Row } from './report';
import { benchRows, type SpeedRow, speedRows, type SpeedSuite } from './speed_rows';
import { withWorkers } from './worker';

export interface SpeedOptions {
  /** A file to measure instead of the bench's models. */
  readonly model?: string;
  /** 0: as many as the machine runs at once. */
  readonly threads: number;
  readonly device: BenchDevice;
  readonly peer: boolean;
  /** Samples of each contender. */
  readonly repeats: number;
  /** Which rows, by their names. */
  readonly rows: RegExp;
  /** How many threads of others never rest meanwhile; the floor, which is of a machine at rest, is left out then; default: 0. */
  readonly beside?: number;
}

interface Job {
  readonly model: ModelUnderTest;
  readonly rows: readonly SpeedRow[];
}

/** What all rows of a run share. */
interface Setting {
  readonly threads: number;
  readonly device: BenchDevice;
  readonly repeats: number;
  readonly beside: number;
  readonly peer: Peer | undefined;
  readonly limits: Limits;
  readonly forwardProgram: string;
}

/** Measures the rows of the suites, one after the other. Throws Failure. */
export async function runSpeed(suites: readonly SpeedSuite[], options: SpeedOptions): Promise<Row[]> {
  const threads = options.threads === 0 ? availableParallelism() : options.threads;
  const jobs: Job[] = [];
  for (const suite of suites) jobs.push(...(await prepareJobs(suite, options)));
  const rows = await measureJobs(jobs, threads, options);
  // What the other rows of that suite are about lies in the GPU's memory elsewhere.
  if (suites.includes('load') && options.device === 'cpu') rows.push(...(await loadRows(options, threads)));
  if (rows.length === 0) {
    throw new Failure({
      code: 'NO_ROWS',
      message: `No row of ${suites.join(', ')} is called like ${options.rows.source}.`,
    });
  }
  return rows;
}

async function measureJobs(jobs: readonly Job[], threads: number, options: SpeedOptions): Promise<Row[]> {
  if (jobs.length === 0) return [];
  const peer = options.peer ? await ensurePeer((step) => console.error(step)) : undefined;
  console.error('building the native programs of the bench');
  const { device, repeats, beside = 0 } = options;
  const passes = jobs.some(({ rows }) => rows.some(({ measuredBy }) => measuredBy === 'forward'));
  const forwardProgram =
    passes || device === 'metal' ? await buildNativeProgram('emberline_forward_bench') : '';
  const limits =
    device === 'metal'
      ? new ChipLimits((path) => forwardCommand(forwardProgram, path, { threads, device }))
      : await LimitsReader.start(await buildNativeProgram('emberline_machine_limits'), threads);
  try {
    const setting: Setting = { threads, device, repeats, beside, peer, limits, forwardProgram };
    const measured: Row[] = [];
    for (const { model, rows } of jobs) {
      for (const row of rows) {
        const done = await measureRow(row, model, setting);
        for (const figure of done) console.error(formatRow(figure));
        measured.push(...done);
      }
    }
    return measured;
  } finally {
    await limits.stop();
  }
}

async function prepareJobs(suite: SpeedSuite, options: SpeedOptions): Promise<Job[]> {
  const wanted = (rows: readonly SpeedRow[]): SpeedRow[] =>
    rows.filter(({ name }) => options.rows.test(name));
  if (options.model !== undefined) {
    const rows = wanted(speedRows(suite, nameOfFile(options.model), true));
    return rows.length === 0 ? [] : [{ model: await prepareModelFile(options.model), rows }];
  }
  const jobs: Job[] = [];
  for (const { model, rows: all } of benchRows(suite)) {
    const rows = wanted(all);
    if (rows.length > 0) jobs.push({ model: await prepareBenchModel(model), rows });
  }
  return jobs;
}

/** Measures ours, and the peer where one is asked for. */
async function measureRow(row: SpeedRow, model: ModelUnderTest, setting: Setting): Promise<Row[]> {
  const { threads, device, peer } = setting;
  const goesOn = row.measuredBy === 'engine' && !row.fresh ? row.request : undefined;
  const command = ourCommand(model.path, { threads, device, later: false });
  const prompt = await composePrompt(command, row.promptTokens, goesOn);
  if (device === 'cpu' && peer?.program !== undefined) await compareResults(row, model, setting, peer);
  const limits = await setting.limits.read(model);
  return withWorkers(async (start) => {
    const ours = await Promise.all(
      ourRequests(row).map((one) => contender(ourCommandFor(row, model, setting), one, prompt, start)),
    );
    const rivals =
      peer === undefined
        ? []
        : await startAll(
            peerCommands(peer, model.path, { threads, device, later: row.fresh }),
            row,
            prompt,
            start,
          );
    const measured = await besideBusyThreads(setting.beside, () =>
      alternate(ours, rivals, setting.repeats, (round) =>
        console.error(`${row.name}: ${round} of ${setting.repeats}`),
      ),
    );
    const floorMs = setting.beside === 0 ? row.floorMs(model.cost, limits) : null;
    return figures(row, floorMs, measured.ours, measured.rivals);
  });
}

/** The row itself and what is measured beside it. */
function ourRequests(row: SpeedRow): SpeedRow[] {
  return row.beside === undefined ? [row] : [row, { ...row, request: row.beside.request }];
}

function ourCommandFor(row: SpeedRow, model: ModelUnderTest, setting: Setting): Command {
  const { threads, device, forwardProgram } = setting;
  return row.measuredBy === 'forward'
    ? forwardCommand(forwardProgram, model.path, { threads, device })
    : ourCommand(model.path, { threads, device, later: row.fresh });
}

async function startAll(
  commands: readonly Command[],
  row: SpeedRow,
  prompt: Prompt,
  start: StartWorker,
): Promise<Awaited<ReturnType<typeof contender>>[]> {
  const started = [];
  // One after the other: loading is work.
  for (const command of commands) started.push(await contender(command, row, prompt, start));
  return started;
}

function figures(
  row: SpeedRow,
  floorMs: number | null,
  [own, besides]: readonly Measured[],
  rivals: readonly Measured[],
): Row[] {
  const ours = own === undefined ? undefined : fastest([own]);
  if (ours === undefined) throw new RangeError('Ours is always measured.');
  const best = fastest(rivals);
  if (best !== undefined) console.error(`${row.name}: the peer is fastest as ${best.name}`);
  const { name, unit, better } = row;
  const figure = row.figure(ours.ms);
  const floor = floorMs === null ? null : row.figure(floorMs);
  const rows: Row[] = [
    best === undefined
      ? ownRow(name, unit, figure, floor)
      : besideRow({ name, unit, ours: figure, peer: row.figure(best.ms) }, better, floor),
  ];
  const beside = besides === undefined ? undefined : fastest([besides]);
  if (beside === undefined || row.beside === undefined) return rows;
  rows.push(
    row.beside.what === 'one-token'
      ? ownRow(row.name.replace('/', '-to-one/'), 'x one token', ours.ms / beside.ms)
      : ownRow(row.name.replace('/', '-in-a-row/'), row.unit, row.figure(beside.ms)),
  );
  return rows;
}

async function compareResults(
  row: SpeedRow,
  model: ModelUnderTest,
  { threads, device }: Setting,
  peer: Peer,
): Promise<void> {
  const [first] = peerCommands(peer, model.path, { threads, device, later: false });
  if (first === undefined) return;
  const own = ourCommand(model.path, { threads, device, later: false });
  await withWorkers(async (start) => {
    const [ours, theirs] = [await start(own), await start(first)];
    const prompt = { text: AGREED_TEXT, ids: idsOf(await ours.ask(requestLine('text', AGREED_TEXT))) };
    await theirs.ask(first.prompt(prompt));
    await checkAgreement(ours, theirs, row.name);
  });
}
