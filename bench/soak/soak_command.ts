/** The command of the soak: everything that makes a completion, for an hour, in one process that measures itself. */
import { type Command, Option } from 'commander';
import { join } from 'node:path';
import { decimal, integer, ROOT, withEngineOptions, type EngineArguments } from '../../cli/engine_options';
import { Failure } from '../../cli/failure';
import { writeBytes } from '../../cli/files';
import { addonPath, embeddedModelPath } from '../../core/engine/binding';
import { startStandIn } from '../../test/remote/stand_in_server';
import { htmlPage } from '../html_page';
import { reportOf } from '../report';
import { CYCLE, type RoundKind } from './rounds';
import { soakFigures } from './soak_figures';
import { formatVerdicts, soakRows } from './soak_rows';
import { runSoak } from './soak_suite';
import { isBroken, verdictsOf } from './verdicts';

const MOST_MINUTES = 1_440;

interface SoakArguments extends EngineArguments {
  readonly minutes: number;
  readonly seed: number;
  readonly kinds: readonly RoundKind[];
  readonly files: string;
  readonly json?: boolean;
  readonly html?: string;
}

export function addSoakSuite(program: Command): void {
  const command = program
    .command('soak')
    .description('whether anything grows while somebody types for long')
    .option('--minutes <n>', 'how long', decimal(0.1, MOST_MINUTES), 60)
    .option('--seed <n>', 'another seed, other rounds', integer(0, 2 ** 32 - 1), 1)
    .addOption(
      new Option(
        '--kinds <kind...>',
        'rounds of these kinds alone, in turn: to find what makes something grow',
      )
        .choices([...new Set(CYCLE)])
        .default(CYCLE, 'all of them'),
    )
    .option('--files <folder>', 'sources to type in', join(ROOT, 'bench', 'cases', 'sources'))
    .addOption(new Option('--json', 'print samples and figures as JSON'))
    .option('--html <file>', 'write a page with the figures, and plots');
  withEngineOptions(command).action(async (options: SoakArguments) => {
    if (globalThis.gc === undefined) {
      throw new Failure({
        code: 'NO_GC',
        message:
          'What is garbage would count as memory in use; run it as `npm run soak`, or Node.js with --expose-gc.',
      });
    }
    const { model = embeddedModelPath(ROOT), device, threads, kvCache } = options;
    const soaked = await runSoak({
      ...options,
      engine: { addonPath: addonPath(ROOT), modelPath: model, device, threads, kvCache },
      startServer: () => startStandIn('llama-server'),
      told: (line) => console.error(line),
    });
    const verdicts = verdictsOf(soaked);
    if (options.json === true) console.log(JSON.stringify({ ...soaked, verdicts }, null, 2));
    else console.log(formatVerdicts(verdicts, soaked));
    if (options.html !== undefined) {
      const figures = await soakFigures(soaked.samples);
      await writeBytes(options.html, htmlPage(reportOf('soak', soakRows(soaked)), figures));
    }
    if (!isBroken(verdicts)) return;
    const broken = verdicts.filter(({ holds, timing }) => holds === false && !timing);
    throw new Failure({
      code: 'LIMIT_BROKEN',
      message: `${broken.map(({ figure }) => figure).join('; ')}: see which samples grow with --html.`,
    });
  });
}
