/** A soak from its start to what is held to its limits. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineOptions } from '../../core/engine/engine';
import { EngineInUse } from './engine_in_use';
import type { RoundKind } from './rounds';
import { SelfMeasurement } from './self_measurement';
import { SoakSession, type SourceText, type StandIn } from './soak_session';
import type { Soaked } from './verdicts';

const SAMPLE_SECONDS = 3;

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Of rounds, in turn. */
  readonly kinds: readonly RoundKind[];
  /** A folder of sources. */
  readonly files: string;
  readonly engine: EngineOptions;
  readonly startServer: () => Promise<StandIn>;
  /** Told of each sample: a line. */
  readonly told?: (line: string) => void;
}

/** Throws Failure where the model cannot be loaded. */
export async function runSoak(options: SoakOptions): Promise<Soaked> {
  const { minutes, seed, kinds, files, startServer, told } = options;
  const engine = new EngineInUse(options.engine);
  await engine.load();
  const session = new SoakSession(engine, await sourcesIn(files), { seed, kinds }, startServer);
  const measurement = new SelfMeasurement();
  let sampled = -Infinity;
  try {
    for (let number = 0; measurement.seconds < 60 * minutes; number++) {
      await session.round(number);
      if (measurement.seconds - sampled < SAMPLE_SECONDS) continue;
      sampled = measurement.seconds;
      measurement.sample(session);
      told?.(JSON.stringify(measurement.samples.at(-1)));
    }
  } finally {
    await engine.unload();
  }
  const { compared, differing, errors, done } = session;
  const { samples } = measurement;
  return { minutes, samples, delay: measurement.stop(), compared, differing, errors, done };
}

async function sourcesIn(folder: string): Promise<SourceText[]> {
  const names = (await readdir(folder)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return names.map((path, i) => ({ path, text: texts[i] ?? '' }));
}
