import { describe, expect, it, vi } from 'vitest';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import type { OnBattery } from '../../core/completion/restraint';
import { Restraints } from '../../extension/restraints';

function restraintsWith(onBattery: OnBattery): {
  restraints: Restraints;
  ask: ReturnType<typeof vi.fn<() => Promise<boolean>>>;
  changed: ReturnType<typeof vi.fn<() => void>>;
} {
  const ask = vi.fn(() => Promise.resolve(true));
  const changed = vi.fn<() => void>();
  const power = { ask, freshMs: 60_000, now: () => 0 };
  return {
    restraints: new Restraints(() => ({ ...DEFAULT_OPTIONS, onBattery }), power, changed),
    ask,
    changed,
  };
}

describe('what the extension keeps back', () => {
  it('asks about the battery only where that makes a difference, and where somebody works', async () => {
    const usual = restraintsWith('asUsual');
    usual.restraints.look();
    expect(usual.ask).not.toHaveBeenCalled();

    const off = restraintsWith('off');
    expect(off.ask).not.toHaveBeenCalled();
    off.restraints.look();
    off.restraints.look();
    expect(off.ask).toHaveBeenCalledOnce();
    await vi.waitFor(() => expect(off.changed).toHaveBeenCalledOnce());
    expect(off.restraints.current).toEqual({ reason: 'battery', unlessAsked: false });
    expect(off.restraints.applied.prepares).toBe(false);
  });

  it('tells nobody once it is disposed of', async () => {
    const { restraints, ask, changed } = restraintsWith('off');
    restraints.look();
    restraints.dispose();
    await ask.mock.results[0]?.value;
    await Promise.resolve();
    expect(changed).not.toHaveBeenCalled();
  });

  it('looks whether the pause is over, whatever the battery', () => {
    const { restraints } = restraintsWith('asUsual');
    const look = vi.spyOn(restraints.pause, 'look');
    restraints.look();
    expect(look).toHaveBeenCalledOnce();
  });

  it('is the pause first of all, and nothing once that is over', () => {
    const { restraints, changed } = restraintsWith('quiet');
    expect(restraints.applied.restraint).toBeUndefined();
    restraints.pause.begin('untilRestart');
    expect(restraints.current?.reason).toBe('paused');
    restraints.pause.finish();
    expect(restraints.current).toBeUndefined();
    expect(changed).toHaveBeenCalledTimes(2);
    restraints.dispose();
  });
});
