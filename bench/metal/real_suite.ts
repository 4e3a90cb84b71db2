/** `metal --real`: what the GPU of this Mac does, and how fast. */
import { execFileSync } from 'node:child_process';
import { release } from 'node:os';
import { ROOT } from '../../cli/engine_options';
import { valueOf } from '../../cli/failure';
import { addonPath } from '../../core/engine/binding';
import { Engine } from '../../core/engine/engine';
import { composePrompt } from '../composed_prompt';
import { ourCommand } from '../contenders';
import { benchModelPath, nameOfFile } from '../model_under_test';
import { buildNativeProgram } from '../native_programs';
import { reportOf } from '../report';
import { BENCH_MODELS } from '../shapes';
import { runSpeed, type SpeedOptions } from '../speed';
import type { SpeedSuite } from '../speed_rows';
import { checkCorrectness } from './correctness';
import type { RealReport } from './real_report';
import { skipRows } from './skip_rows';
import { startRows } from './start_rows';

export type RealOptions = Pick<SpeedOptions, 'model' | 'threads' | 'peer' | 'repeats'>;

const SUITES: readonly SpeedSuite[] = ['decode', 'prefill', 'verify', 'reuse'];
const ROWS = /^(decode|prefill512|verify[48]|reuse)\//;
/** Tokens in front of the chains that the two ways of skipping are timed with. */
const CHAIN_PROMPT = 128;

/** With the embedded model, or the file asked for. Throws Failure, DEVICE_UNAVAILABLE where there is no GPU to measure. */
export async function runReal(options: RealOptions): Promise<RealReport> {
  const { threads, repeats } = options;
  const [embedded] = BENCH_MODELS;
  if (embedded === undefined) throw new RangeError('The first model of the bench is the embedded one.');
  const model = options.model ?? benchModelPath(embedded);
  const name = options.model === undefined ? embedded.name : nameOfFile(options.model);
  const device = await deviceOf(model);
  console.error(device);
  const correctness = await checkCorrectness(model, threads);
  const rows = await runSpeed(SUITES, {
    ...options,
    device: 'metal',
    // Of the bench's models the embedded one alone: nothing is to be made up first.
    rows: options.model === undefined ? new RegExp(`${ROWS.source}${embedded.name}$`) : ROWS,
  });
  const program = await buildNativeProgram('emberline_forward_bench');
  const composing = ourCommand(model, { threads, device: 'cpu', later: false });
  const prompt = await composePrompt(composing, CHAIN_PROMPT);
  rows.push(...(await skipRows({ program, model, name, prompt, threads, repeats })));
  rows.push(...(await startRows({ model, name, threads, repeats })));
  const report = reportOf('metal', rows);
  return { report, device, system: systemName(), correctness, peer: options.peer };
}

/** What the engine calls the GPU, which has passed its self-test then. */
async function deviceOf(modelPath: string): Promise<string> {
  const engine = valueOf(await Engine.load({ addonPath: addonPath(ROOT), modelPath, device: 'metal' }));
  await engine.dispose();
  return engine.info.device;
}

function systemName(): string {
  return `${macosVersion() ?? `${process.platform} ${release()}`}, Node ${process.versions.node}`;
}

function macosVersion(): string | undefined {
  try {
    return `macOS ${execFileSync('sw_vers', ['-productVersion'], { encoding: 'utf8' }).trim()}`;
  } catch {
    return undefined; // a simulated Mac
  }
}
