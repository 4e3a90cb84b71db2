/**
 * What a draft model is worth, by the length of its drafts and by how often they are right.
 *
 * There is no pair of real models: the target is the embedded model with layers that add nothing, up to the cost of a model of
 * 1.5 billion parameters; drafts come from the embedded model with noise on its weights (bench/synthetic/speculative_pair.ts).
 */
import { readFileSync } from 'node:fs';
import { ROOT } from '../../cli/engine_options';
import { valueOf } from '../../cli/failure';
import { DraftingTotals } from '../../core/completion/drafting_totals';
import { addonPath, embeddedModelPath } from '../../core/engine/binding';
import { Engine } from '../../core/engine/engine';
import type { NativeDrafting } from '../../core/engine/native_drafting';
import type { DeviceChoice } from '../../core/engine/native_types';
import { SYNTHETIC_MODELS } from '../build_folder';
import type { Row } from '../report';
import { median } from '../statistics';
import { madePath } from '../synthetic/model_file';
import { ensureDeepModel, ensureNoisyModel } from '../synthetic/speculative_pair';
import { type DraftRun, draftModelRows } from './draft_model_rows';
import { readReplayCases, type ReplayCase } from './replay_case';
import { type Manner, replay, type Sample } from './replay_request';

/** Of the weights of a model of 1.5 billion parameters at four bits, its embedding at eight. */
const TARGET_BYTES = 985e6;
/** Standard deviation of the scale of a block of weights: drafts that are always right, mostly, and less often. */
const NOISES = [0, 0.2, 0.28];
const DRAFTED = [2, 4, 8];
/** Behind the first token, which comes with the prompt, whole drafts of every length where all are right. */
const MANNER: Manner = { lines: 'several', temperature: 0, maxTokens: 46 };
/** Every so many cases, and no more rounds: the target is slow. */
const CASE_STEP = 6;
const MOST_ROUNDS = 2;
/** Long enough that both models have read the prompt. */
const WARM_UP: Manner = { ...MANNER, maxTokens: 4 };

export interface DraftModelOptions {
  readonly threads: number;
  readonly device: DeviceChoice;
  readonly rounds: number;
}

/** Throws Failure. */
export async function runDraftModel(options: DraftModelOptions): Promise<Row[]> {
  const source = embeddedModelPath(ROOT);
  const bytes = readFileSync(source);
  const target = madePath(SYNTHETIC_MODELS, 'embedded-1.5b', bytes, String(TARGET_BYTES));
  await ensureDeepModel(target, source, TARGET_BYTES, () => console.error('replay: writing the target'));
  const cases = (await readReplayCases()).filter((_, index) => index % CASE_STEP === 0);
  const draftMs = await stepMs(options, source, cases);
  const runs: DraftRun[] = [];
  for (const [level, noise] of NOISES.entries()) {
    const draft = madePath(SYNTHETIC_MODELS, `embedded-noise-${noise}`, bytes);
    await ensureNoisyModel(draft, source, noise, () =>
      console.error(`replay: writing the draft with noise ${noise}`),
    );
    runs.push(
      ...(await withModels(options, target, draft, (engine) => runsOf(engine, cases, level, options.rounds))),
    );
  }
  return draftModelRows(runs, draftMs);
}

async function withModels<T>(
  { threads, device }: DraftModelOptions,
  modelPath: string,
  draftPath: string | undefined,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const draft = draftPath === undefined ? {} : { draftPath };
  const engine = valueOf(
    await Engine.load({ addonPath: addonPath(ROOT), modelPath, threads, device, ...draft }),
  );
  try {
    return await work(engine);
  } finally {
    await engine.dispose();
  }
}

/** Of a plain step of the model at `path`. */
function stepMs(options: DraftModelOptions, path: string, cases: readonly ReplayCase[]): Promise<number> {
  return withModels(options, path, undefined, async (engine) => {
    const steps: number[] = [];
    for (const one of cases) {
      await replay(engine, one, { ...MANNER, maxTokens: 1 }, {});
      const { ms, ids } = await replay(engine, one, MANNER, {});
      steps.push(ms / ids.length);
    }
    return median(steps);
  });
}

function draftsOf(most: number): Partial<NativeDrafting> {
  return most === 0 ? {} : { model: true, adaptive: false, most };
}

/** Plain decode and drafts of each length take turns. */
async function runsOf(
  engine: Engine,
  cases: readonly ReplayCase[],
  noise: number,
  rounds: number,
): Promise<DraftRun[]> {
  const totals = new Map(DRAFTED.map((drafted) => [drafted, new DraftingTotals()]));
  const ms = new Map([0, ...DRAFTED].map((drafted) => [drafted, 0]));
  let tokens = 0;
  for (const one of cases) {
    const samples = new Map<number, Sample[]>();
    await replay(engine, one, WARM_UP, draftsOf(1));
    for (let round = 1; round <= Math.min(rounds, MOST_ROUNDS); round++) {
      for (const drafted of [0, ...DRAFTED]) {
        const sample = await replay(engine, one, MANNER, draftsOf(drafted));
        samples.set(drafted, [...(samples.get(drafted) ?? []), sample]);
        totals.get(drafted)?.add(sample.drafting);
      }
    }
    for (const [drafted, some] of samples) {
      ms.set(drafted, (ms.get(drafted) ?? 0) + median(some.map((sample) => sample.ms)));
    }
    tokens += samples.get(0)?.[0]?.ids.length ?? 0;
  }
  const plainMs = ms.get(0) ?? NaN;
  return DRAFTED.map((drafted) => ({
    noise,
    drafted,
    tokens,
    plainMs,
    draftedMs: ms.get(drafted) ?? NaN,
    totals: totals.get(drafted) ?? new DraftingTotals(),
  }));
}
