/** Structured edits of many random documents. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { Engine } from '../../core/engine/engine';
import { ADDON, DEVICE, MODEL, valueOf } from '../integration/embedded_model';
import { expectRandomEditsApply } from '../integration/random_edits';

let engine: Engine;

beforeAll(async () => {
  engine = valueOf(await Engine.load({ addonPath: ADDON, modelPath: MODEL, device: DEVICE }));
});
afterAll(() => engine.dispose());

describe('edits of random documents', () => {
  it('are applied, all 500, and leave other lines as they are', () => expectRandomEditsApply(engine, 500));
});
