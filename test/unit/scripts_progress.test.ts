import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { Progress } from '../../scripts/progress.mjs';

it('gives every step a log of its own, however long its name is', async () => {
  vi.spyOn(console, 'log').mockReturnValue(undefined);
  const progress = new Progress();
  const write = (log: string): Promise<string> => {
    writeFileSync(log, 'written');
    return Promise.resolve(log);
  };
  const targets = Array.from({ length: 40 }, (_, i) => `a_target_${i}`).join(', ');
  const logs: string[] = [];
  try {
    for (const name of [`test steps: ${targets} once`, `test steps: ${targets} twice`, 'test steps: short']) {
      logs.push(await progress.step(name, write));
    }
    expect(logs.every((log) => existsSync(log))).toBe(true);
    expect(new Set(logs).size).toBe(3);
  } finally {
    for (const log of logs) rmSync(log);
    vi.restoreAllMocks();
  }
});
