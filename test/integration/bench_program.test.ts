/** The bench as a program: how it ends. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MODEL, ROOT } from './embedded_model';

const BENCH = join(ROOT, 'dist', 'bench.cjs');

it.skipIf(process.platform === 'darwin')('measures no GPU where there is none, and says so', () => {
  const args = [BENCH, 'metal', '--real'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toMatch(/^DEVICE_UNAVAILABLE: This build has no Metal device[^.]*\.\n$/);
  expect(stdout).toBe('');
  expect(status).toBe(1);
});

// Elsewhere a signal ends a process as it stands.
it.skipIf(process.platform === 'win32')(
  'leaves through its exit handlers where it is interrupted',
  async () => {
    const args = [BENCH, 'worker', '--later', '--model', MODEL, '--threads', '1', '--device', 'cpu'];
    const child = spawn(process.execPath, args);
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await ended).toEqual([143, null]);
  },
);
