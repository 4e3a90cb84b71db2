/** Distributions as a model has them on code: the logits after the prefixes of completion cases. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { valueOf } from '../../cli/failure';
import { writeBytes } from '../../cli/files';
import type { Engine } from '../../core/engine/engine';
import { LOGITS } from '../build_folder';
import { readExpectedCases } from '../completion_case';
import { OWN_CASES } from '../quality';

const DISTRIBUTIONS = 100;
/** Tokens before the place: enough for the model to know what it reads. */
const CONTEXT = 128;

export interface CapturedLogits {
  /** Of float32, one distribution after the other. */
  readonly path: string;
  readonly vocabulary: number;
}

/** Throws Failure. */
export async function captureLogits(engine: Engine): Promise<CapturedLogits> {
  const cases = await readExpectedCases(OWN_CASES);
  const distributions: Float32Array[] = [];
  for (const { prefix } of cases.slice(0, DISTRIBUTIONS)) {
    const ids = valueOf(await engine.tokenize(prefix, false));
    if (ids.length > 0) distributions.push(valueOf(await engine.logits(ids.slice(-CONTEXT))));
  }
  const vocabulary = distributions[0]?.length ?? 0;
  const all = new Float32Array(vocabulary * distributions.length);
  distributions.forEach((logits, index) => all.set(logits, index * vocabulary));
  mkdirSync(LOGITS, { recursive: true });
  const path = join(LOGITS, 'captured.f32');
  await writeBytes(path, new Uint8Array(all.buffer));
  return { path, vocabulary };
}
