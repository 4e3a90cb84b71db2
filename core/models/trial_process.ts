/** The process in which a model is tried, bundled by itself: it loads the model and lets it write one token. What it dies of stays with it. */
import { writeFile } from 'node:fs/promises';
import { Engine } from '../engine/engine';
import type { TrialAnswer, TrialOrder } from './trial_messages';

/** If memory runs out, this process is the one to go: Linux ends the one with the highest score. */
const FIRST_TO_GO = '1000';
const PROMPT = 'def add(a, b):\n';

process.once('message', (order: TrialOrder) => void answer(order));
// Whoever asked is gone, and so is the use of an answer.
process.once('disconnect', () => process.exit());

async function answer(order: TrialOrder): Promise<void> {
  if (process.platform === 'linux')
    await writeFile('/proc/self/oom_score_adj', FIRST_TO_GO).catch(() => undefined);
  const result = await tried(order);
  process.send?.(result, () => process.exit());
}

async function tried(order: TrialOrder): Promise<TrialAnswer> {
  const engine = await Engine.load(order);
  if (!engine.ok) return engine;
  const written = await engine.value.complete({ prompt: PROMPT, maxTokens: 1, singleLine: false });
  await engine.value.dispose();
  return written.ok ? { ok: true } : written;
}
