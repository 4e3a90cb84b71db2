/** A soak from its start to what is held to its limits. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../cli/failure';
import { readText } from '../../cli/files';
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

/** Throws Failure where there is nothing to type, or the model cannot be loaded. */
export async function runSoak(options: SoakOptions): Promise<Soaked> {
  const { minutes, seed, kinds, files, startServer, told } = options;
  const sources = await sourcesIn(files);
  const engine = new EngineInUse(options.engine);
  await engine.load();
  const session = new SoakSession(engine, sources, { seed, kinds }, startServer);
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

/** The files of a folder, and not those below it. Throws Failure where there is none. */
export async function sourcesIn(folder: string): Promise<SourceText[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
  if (names.length === 0) {
    throw new Failure({
      code: 'FILE_NOT_FOUND',
      message: `${folder} has no files; give a folder of sources.`,
    });
  }
  return Promise.all(names.map(async (path) => ({ path, text: await readText(join(folder, path)) })));
}
