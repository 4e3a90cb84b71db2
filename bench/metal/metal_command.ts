/** The command of the metal suite: counted on a simulated GPU, or measured on that of this Mac. */
import { type Command, Option } from 'commander';
import { integer } from '../../cli/engine_options';
import { runMetal } from '../metal_suite';
import { reportOf, reportText } from '../report';
import { FEWEST_REPEATS, MOST_REPEATS } from '../speed_command';
import { formatProjection, projectionRows } from './projection';
import { formatRealReport } from './real_report';
import { type RealOptions, runReal } from './real_suite';

interface MetalArguments extends RealOptions {
  readonly real: boolean;
  readonly projection: boolean;
  readonly json: boolean;
}

export function addMetalSuite(program: Command): void {
  program
    .command('metal')
    .description(
      'what a token costs a GPU, counted on a simulated one (the last column is the most that is promised); --real: how fast the GPU of this Mac is',
    )
    .option('--json', 'print the rows as JSON', false)
    .option('--real', 'measure the GPU of this Mac, and print Markdown', false)
    .addOption(
      new Option('--projection', 'what chips should reach that nobody has measured, as Markdown')
        .conflicts('real')
        .default(false),
    )
    .option('--peer', 'with --real: measure llama.cpp as well (installs it the first time)', false)
    .option('--model <file>', 'with --real: measure this GGUF model instead of the embedded one')
    .option('--threads <n>', 'with --real: of the processor; 0: as many as pay', integer(0, 64), 0)
    .addOption(
      new Option('--repeats <n>', 'with --real: samples of each')
        .argParser(integer(FEWEST_REPEATS, MOST_REPEATS))
        .default(FEWEST_REPEATS),
    )
    .action(async ({ real, projection, json, ...options }: MetalArguments) => {
      if (projection) {
        const report = reportOf('metal', projectionRows());
        console.log(json ? JSON.stringify(report, null, 2) : formatProjection());
        return;
      }
      if (!real) {
        console.log(reportText(reportOf('metal', await runMetal()), { json }));
        return;
      }
      const result = await runReal(options);
      console.log(json ? JSON.stringify(result.report, null, 2) : formatRealReport(result));
    });
}
