/** What the GPU of a Mac was found to do, as Markdown to paste into bench/README.md. */
import { formatMarkdown, type Report } from '../report';
import type { Correctness } from './correctness';

export interface RealReport {
  /** Its rows are figures of speed. */
  readonly report: Report;
  /** For example `metal, Apple M4 Pro, 20 GPU cores`. */
  readonly device: string;
  /** For example `macOS 15.5, Node 22.19.0`. */
  readonly system: string;
  readonly correctness: Correctness;
  readonly peer: boolean;
}

/** Figures measured on what is no hardware are not to be taken for those of a Mac. */
const PARAVIRTUAL = /paravirtual/i;

export function formatRealReport(result: RealReport): string {
  const { report, device, system, correctness } = result;
  const { promptTokens, correlation, decoded, same } = correctness;
  const lines = [
    `${device}; ${system}.`,
    '',
    '- Self-test: passed.',
    `- Logits behind ${promptTokens} tokens: correlation ${correlation.toFixed(6)} with those of the processor, which quantises activations to 8 bits.`,
    same === decoded
      ? `- Greedy tokens: all ${decoded} are the processor's.`
      : `- Greedy tokens: the first ${same} of ${decoded} are the processor's.`,
  ];
  if (PARAVIRTUAL.test(device))
    lines.push('- This GPU is paravirtualised: its times say nothing about a Mac.');
  return [...lines, '', formatMarkdown(report), '', ...notes(result)].join('\n');
}

function notes({ peer }: RealReport): string[] {
  return [
    `Peer: ${peer ? 'llama.cpp on Metal, in the same run, with all layers on the GPU.' : 'not measured (`--peer`).'}`,
    'Floor: every weight and every valid key and value read once, at the bandwidth that Apple states for the chip; of a chip that is not known, at that of the slowest of its kind.',
    '`skipped-step-*`: what a step behind a stop costs in the same submission; `chain-*`: a chain that nothing stops, with either way of skipping.',
  ];
}
