import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runForStatus } from '../../scripts/processes.mjs';
import { Progress } from '../../scripts/progress.mjs';

let printed: string[] = [];

beforeEach(() => {
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => printed.push(text));
});

afterEach(() => {
  vi.restoreAllMocks();
});

it('gives every step a log of its own, however long its name is', async () => {
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
  }
});

it.runIf(process.platform === 'linux')(
  'counts the processor time of each of two steps of one name',
  async () => {
    const progress = new Progress();
    const name = 'test steps: one name';
    const busy = 'while (process.cpuUsage().user < 500_000);';
    let log = '';
    try {
      for (const program of [busy, '0']) {
        await progress.step(name, async (file) => {
          log = file;
          await runForStatus(process.execPath, ['-e', program], { log: file });
        });
      }
    } finally {
      rmSync(log, { force: true });
    }
    progress.table();
    const [first = 0, second = 0, ...others] = printed
      .filter((line) => line.startsWith(`${name}  `))
      .map((line) => Number(line.trim().split(/\s+/).at(-1)));
    expect(others).toEqual([]);
    expect(first).toBeGreaterThanOrEqual(0.5);
    expect(second).toBeLessThan(first);
  },
);
