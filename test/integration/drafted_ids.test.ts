/** Greedy text of the embedded model with drafts and without; `npm run bench -- replay ids` compares far more of it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compareIds } from '../../bench/replay/ids_equal';
import { readReplayCases } from '../../bench/replay/replay_case';
import { Engine } from '../../core/engine/engine';
import { ADDON, DEVICE, MODEL, valueOf } from './embedded_model';

const TOKENS = 320;
/** One that repeats itself, so that drafts are taken, and one that does not, so that they are rejected. */
const KINDS = ['repetitive', 'code'];

let engine: Engine | undefined;
beforeAll(async () => {
  engine = valueOf(await Engine.load({ addonPath: ADDON, modelPath: MODEL, device: DEVICE }));
});
afterAll(() => engine?.dispose());

it('greedy ids are the same with drafts and without', async () => {
  if (engine === undefined) throw new Error('The model was not loaded.');
  const cases = await readReplayCases();
  // In turn; the model ends some of them early.
  const ofKind = KINDS.map((kind) => cases.filter((one) => one.kind === kind).map(({ prefix }) => prefix));
  const texts = [0, 1, 2].flatMap((at) => ofKind.flatMap((prefixes) => prefixes.slice(at, at + 1)));
  const { compared, mismatches, drafted, accepted } = await compareIds(engine, texts, TOKENS);
  expect({ compared, mismatches }).toEqual({ compared: TOKENS, mismatches: 0 });
  expect(accepted).toBeGreaterThan(TOKENS / 8);
  expect(drafted - accepted).toBeGreaterThan(TOKENS / 8);
});
