/** An engine's thread hangs in the middle of a text: it is said where, another engine can be loaded meanwhile, and when the thread goes on so does the text. */
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { Engine } from '../../core/engine/engine';
import { loadAddon } from '../../core/engine/binding';
import { type Standstill, standstillError, Watchdog } from '../../core/engine/watchdog';
import { MODEL, ROOT, valueOf } from '../integration/embedded_model';

/** As for addon_shortage: `cmake --build --preset release --target emberline_faulty_addon`. */
const ADDON = join(ROOT, 'build', 'addon', 'Release', 'emberline_faulty_addon.node');

interface HeldAllocations {
  /** The next allocation of another thread waits: that thread hangs. */
  readonly holdAllocation: () => void;
  readonly allocationIsHeld: () => boolean;
  readonly letAllocationGo: () => void;
}

it('is noticed, outlived and forgiven', async () => {
  const addon = valueOf(loadAddon(ADDON));
  const memory = addon as unknown as HeldAllocations;
  const options = { modelPath: MODEL, threads: 1, device: 'cpu', context: 512 } as const;
  const engine = valueOf(await Engine.loadFrom(addon, options, (progress) => new Watchdog(progress, 10, 20)));
  const told: (Standstill | 'moves')[] = [];
  engine.watchdog.tell({
    stoodStill: (standstill) => told.push(standstill),
    movesAgain: () => told.push('moves'),
  });
  let pieces = 0;
  const request = { prompt: 'def add(a, b):\n', maxTokens: 64 };
  const answer = engine.generate(request, new AbortController().signal, () => {
    // In the middle of the text.
    if (++pieces === 3) memory.holdAllocation();
  });
  await vi.waitUntil(() => memory.allocationIsHeld() && told.length > 0, { timeout: 60_000 });
  expect(engine.watchdog.standsStill).toBe(true);
  expect(told).toMatchObject([{ phase: 'decode' }]);
  const [standstill] = told as [Standstill];
  expect(standstill.turns % 2).toBe(1);
  expect(standstill.promptTokens).toBeGreaterThan(0);
  expect(standstill.generatedTokens).toBeGreaterThanOrEqual(3);
  expect(standstillError(standstill, engine.info.device).message).toContain('while writing a text (cpu');
  // What restarting does: the one that hangs is not waited for.
  const disposed = engine.dispose();
  const other = valueOf(await Engine.loadFrom(addon, options));
  expect(valueOf(await other.complete({ prompt: 'x = ', maxTokens: 4 })).ids.length).toBeGreaterThan(0);
  await other.dispose();
  memory.letAllocationGo();
  expect(valueOf(await answer).stop).toBe('cancelled');
  await disposed;
  expect(told[1]).toBe('moves');
  expect(engine.watchdog.standsStill).toBe(false);
});
