/** `agreement`: how near a model's distributions are to llama.cpp's, whose logits nothing here was written from. */
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { embeddedModelPath } from '../core/engine/binding';
import { integer, ROOT } from '../cli/engine_options';
import { Failure } from '../cli/failure';
import { FAMILY_MODELS } from './build_folder';
import { buildNativeProgram } from './native_programs';
import { ensurePeer } from './peer/peer_package';
import { outputOf } from './program_run';
import { numbersTable } from './report';

interface AgreementArguments {
  readonly model?: string;
  readonly reference?: string;
  readonly families: boolean;
  readonly text: string;
  readonly positions: number;
  readonly threads: number;
}

/** What emberline_agreement_bench prints. */
interface Agreements {
  readonly ours: Agreement;
  /** Of llama.cpp with the file itself, where the reference is llama.cpp with another. */
  readonly peer: Agreement | null;
}

interface Agreement {
  readonly positions: number;
  readonly same_choice: number;
  /** Positions where the reference's choice is well ahead of the next. */
  readonly clear: number;
  readonly same_clear_choice: number;
  readonly mean_divergence: number;
  readonly largest_divergence: number;
  readonly largest_log_difference: number;
}

export function addAgreementCommand(program: Command): void {
  program
    .command('agreement')
    .description('compare the distributions of the next token with llama.cpp’s (installs it the first time)')
    .option('--model <file>', 'a GGUF model (default: the embedded one)')
    .option('--families', 'random weights of every family and mix of tensor types instead, as a table', false)
    .option(
      '--reference <file>',
      'the model in F32, of which llama.cpp rounds nothing: how near to that are both?',
    )
    .option('--text <file>', 'what both read', join(ROOT, 'CHANGELOG.md'))
    .option('--positions <n>', 'tokens of it', integer(1, 1_000_000), 2_000)
    .option('--threads <n>', 'compute threads of each', integer(1, 64), 2)
    .action(async (options: AgreementArguments) => {
      const agreementOf = await preparedComparison(options);
      if (options.families) {
        console.log(await familyTable(agreementOf));
        return;
      }
      const model = options.model === undefined ? embeddedModelPath(ROOT) : resolve(options.model);
      const reference = options.reference === undefined ? undefined : resolve(options.reference);
      const { ours, peer } = await agreementOf(model, reference);
      console.log(formatAgreement(ours));
      if (peer !== null) console.log(`llama.cpp with the same file\n${formatAgreement(peer)}`);
    });
}

type Comparison = (model: string, reference?: string) => Promise<Agreements>;

async function preparedComparison(options: AgreementArguments): Promise<Comparison> {
  const { libraries, program: peer } = await ensurePeer(reportStep);
  if (peer === undefined) {
    throw new Failure({
      code: 'PEER_UNAVAILABLE',
      message: `What compares with the peer's libraries is not built on ${process.platform}; run it on Linux or macOS.`,
    });
  }
  reportStep('building the native program');
  const program = await buildNativeProgram('emberline_agreement_bench');
  return async (model, reference) => {
    const output = await outputOf(program, [
      ...[libraries, model, resolve(options.text)],
      ...[String(options.positions), String(options.threads)],
      ...(reference === undefined ? [] : [reference]),
    ]);
    return JSON.parse(output) as Agreements;
  };
}

/** Of one file after the other, as Markdown: both engines from llama.cpp with the same weights in F32. */
async function familyTable(agreementOf: Comparison): Promise<string> {
  const files = await outputOf(await buildNativeProgram('emberline_family_files'), [FAMILY_MODELS]);
  const lines: string[][] = [];
  for (const file of files.trimEnd().split('\n')) {
    reportStep(file);
    const name = file.replace(/\.gguf$/, '');
    const { ours, peer } = await agreementOf(
      join(FAMILY_MODELS, file),
      join(FAMILY_MODELS, `${name}.f32.gguf`),
    );
    lines.push([name, String(ours.clear), ...figures(ours), ...(peer === null ? [] : figures(peer))]);
  }
  const columns = ['Emberline', 'llama.cpp'].flatMap((engine) => [
    `${engine}: same clear choice`,
    'mean divergence',
  ]);
  return numbersTable(['model', 'clear', ...columns], lines).join('\n');
}

function figures(agreement: Agreement): string[] {
  const { clear, same_clear_choice, mean_divergence } = agreement;
  return [percent(same_clear_choice, clear), mean_divergence.toExponential(1)];
}

function formatAgreement(agreement: Agreement): string {
  const { positions, same_choice, clear, same_clear_choice } = agreement;
  return [
    `positions                   ${positions}`,
    `same likeliest token        ${same_choice} (${percent(same_choice, positions)})`,
    `where it is clear           ${same_clear_choice} of ${clear} (${percent(same_clear_choice, clear)})`,
    `mean divergence             ${agreement.mean_divergence.toExponential(2)} nats`,
    `largest divergence          ${agreement.largest_divergence.toExponential(2)} nats`,
    `largest log-prob difference ${agreement.largest_log_difference.toExponential(2)}`,
  ].join('\n');
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}

function reportStep(step: string): void {
  console.error(step);
}
