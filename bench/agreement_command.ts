/** `agreement`: how near a model's distributions are to llama.cpp's, whose logits nothing here was written from. */
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { embeddedModelPath } from '../core/engine/binding';
import { integer, ROOT } from '../cli/engine_options';
import { buildNativeProgram } from './native_programs';
import { ensurePeer } from './peer/peer_package';

interface AgreementArguments {
  readonly model?: string;
  readonly text: string;
  readonly positions: number;
  readonly threads: number;
}

/** What emberline_agreement_bench prints. */
interface Agreement {
  readonly positions: number;
  readonly same_choice: number;
  readonly mean_divergence: number;
  readonly largest_divergence: number;
  readonly largest_log_difference: number;
}

export function addAgreementCommand(program: Command): void {
  program
    .command('agreement')
    .description('compare the distributions of the next token with llama.cpp’s (installs it the first time)')
    .option('--model <file>', 'a GGUF model (default: the embedded one)')
    .option('--text <file>', 'what both read', join(ROOT, 'CHANGELOG.md'))
    .option('--positions <n>', 'tokens of it', integer(1, 1_000_000), 2_000)
    .option('--threads <n>', 'compute threads of each', integer(1, 64), 2)
    .action(async (options: AgreementArguments) => {
      const onStep = (step: string): void => {
        console.error(step);
      };
      const { libraries } = await ensurePeer(onStep);
      onStep('building the native program');
      const program = await buildNativeProgram('emberline_agreement_bench');
      const model = options.model === undefined ? embeddedModelPath(ROOT) : resolve(options.model);
      const { stdout } = await promisify(execFile)(program, [
        ...[libraries, model, resolve(options.text)],
        ...[String(options.positions), String(options.threads)],
      ]);
      console.log(formatAgreement(JSON.parse(stdout) as Agreement));
    });
}

export function formatAgreement(agreement: Agreement): string {
  const { positions, same_choice } = agreement;
  return [
    `positions                   ${positions}`,
    `same likeliest token        ${same_choice} (${((100 * same_choice) / positions).toFixed(1)} %)`,
    `mean divergence             ${agreement.mean_divergence.toExponential(2)} nats`,
    `largest divergence          ${agreement.largest_divergence.toExponential(2)} nats`,
    `largest log-prob difference ${agreement.largest_log_difference.toExponential(2)}`,
  ].join('\n');
}
