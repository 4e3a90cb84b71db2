/** What the scripts do on Windows, told on any system. */
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

const { spawnSync } = vi.hoisted(() => ({ spawnSync: vi.fn() }));
vi.mock('node:child_process', async (original) => ({ ...(await original<object>()), spawnSync }));

const here = process.platform;
beforeAll(() => {
  Object.defineProperty(process, 'platform', { value: 'win32' });
});
afterAll(() => {
  Object.defineProperty(process, 'platform', { value: here });
});

it.each([
  { exitCode: null, signalCode: null, ends: true },
  { exitCode: 0, signalCode: null, ends: false },
  { exitCode: null, signalCode: 'SIGTERM', ends: false },
])('ends a process by its id while that is its own: $exitCode, $signalCode', async ({ ends, ...state }) => {
  const { stopGroup } = await import('../../../scripts/processes.mjs');
  spawnSync.mockClear();
  await stopGroup(Object.assign(new EventEmitter(), { pid: 4711, ...state }) as unknown as ChildProcess);
  expect(spawnSync.mock.calls.map(([command, args]: unknown[]) => [command, args])).toEqual(
    ends ? [['taskkill', ['/pid', '4711', '/T', '/F']]] : [],
  );
});

it('asks for no compiler of Debian to build', async () => {
  const { FOR_BUILDING } = await import('../../../scripts/setup/debian_packages.mjs');
  expect(FOR_BUILDING.map(({ provides }) => provides)).toEqual(['CMake']);
});
