/** The commands of the speed suites, and the worker they start themselves as. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { integer, ROOT } from '../cli/engine_options';
import { writeBytes } from '../cli/files';
import { addonPath } from '../core/engine/binding';
import { PACKED_COPIES } from './build_folder';
import type { BenchDevice } from './contenders';
import { runOurWorker } from './our_worker';
import { plotSvg } from './plot';
import { reportOf, reportText } from './report';
import { runSpeed, type SpeedOptions } from './speed';
import { SPEED_SUITES, type SpeedSuite } from './speed_rows';

interface SpeedArguments extends SpeedOptions {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly plot?: string;
}

interface WorkerArguments {
  readonly model: string;
  readonly threads: number;
  readonly device: BenchDevice;
  readonly storage?: string;
  readonly later?: boolean;
}

const DESCRIPTIONS: Readonly<Record<SpeedSuite, string>> = {
  decode: 'tokens a second after a prompt of 512',
  prefill: 'prompt tokens a second',
  verify: 'one forward pass of 4 and of 8 tokens with the logits of all',
  reuse: 'to the first token when the last 5 of 1024 tokens changed',
  load: 'from opening a file to the first token; memory; idle processor time',
};

const BENCH_DEVICES: readonly BenchDevice[] = ['cpu', 'metal'];
export const FEWEST_REPEATS = 5;
export const MOST_REPEATS = 1_000;

export function addSpeedSuites(program: Command): void {
  for (const suite of SPEED_SUITES) addSuites(program, suite, DESCRIPTIONS[suite], [suite]);
  addSuites(program, 'speed', `all of these: ${SPEED_SUITES.join(', ')}`, SPEED_SUITES);
  addWorkerCommand(program);
}

function addSuites(program: Command, name: string, description: string, suites: readonly SpeedSuite[]): void {
  program
    .command(name)
    .description(description)
    .option('--model <file>', 'measure this GGUF model instead of the bench’s own')
    .option('--threads <n>', 'compute threads; 0: as many as the machine runs at once', integer(0, 64), 0)
    .addOption(new Option('--device <name>', 'what computes').choices(BENCH_DEVICES).default('cpu'))
    .option('--peer', 'measure llama.cpp as well (installs it the first time)', false)
    .option('--rows <pattern>', 'only rows whose name this regular expression matches', pattern, /^/)
    .option('--repeats <n>', 'samples of each', integer(FEWEST_REPEATS, MOST_REPEATS), FEWEST_REPEATS)
    .option('--beside <n>', 'while so many threads of another program never rest', integer(0, 64), 0)
    .addOption(new Option('--json', 'print the rows as JSON').conflicts('markdown'))
    .option('--markdown', 'print the rows as a Markdown table')
    .option('--plot <file>', 'draw the rows into an SVG file')
    .action(async (options: SpeedArguments) => {
      const report = reportOf(name, await runSpeed(suites, options));
      console.log(reportText(report, options));
      if (options.plot !== undefined) await writeBytes(options.plot, Buffer.from(await plotSvg(report)));
    });
}

function addWorkerCommand(program: Command): void {
  program
    .command('worker', { hidden: true })
    .requiredOption('--model <file>')
    .requiredOption('--threads <n>', '', integer(0, 64))
    .addOption(new Option('--device <name>').choices(BENCH_DEVICES).makeOptionMandatory())
    .option('--storage <folder>')
    .option('--later')
    .action(({ model, threads, device, storage = PACKED_COPIES, later = false }: WorkerArguments) =>
      runOurWorker({
        addonPath: addonPath(ROOT),
        modelPath: model,
        threads,
        device,
        packedFolder: storage,
        openLater: later,
      }),
    );
}

/** Reads a regular expression. */
export function pattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch {
    throw new InvalidArgumentError('It must be a regular expression.');
  }
}
