/** The command of the sampling suite. */
import type { Command } from 'commander';
import { withEngine } from '../../cli/engine_options';
import { writeBytes } from '../../cli/files';
import { reportOf, reportText } from '../report';
import { captureLogits } from './captured_logits';
import { samplingPlot } from './sampling_plot';
import { runSampling } from './sampling_suite';

interface SamplingArguments {
  readonly model?: string;
  readonly json: boolean;
  readonly markdown: boolean;
  readonly plot?: string;
}

export function addSamplingSuite(program: Command): void {
  program
    .command('sampling')
    .description(
      'finding a nucleus by every algorithm, beside a naive sort, and drawing a token; the last column is the most that is promised',
    )
    .option('--model <file>', 'whose distributions are captured (default: the embedded model)')
    .option('--json', 'print the rows as JSON', false)
    .option('--markdown', 'print the rows as a Markdown table', false)
    .option('--plot <file>', 'draw the rows as an SVG image')
    .action(async ({ model, json, markdown, plot }: SamplingArguments) => {
      const of = model === undefined ? {} : { model };
      const captured = await withEngine({ ...of, device: 'cpu', kvCache: 'f16', threads: 0 }, captureLogits);
      const report = reportOf('sampling', await runSampling(captured));
      console.log(reportText(report, { json, markdown }));
      if (plot !== undefined) await writeBytes(plot, Buffer.from(await samplingPlot(report)));
    });
}
