/** The bench of a real GPU where there is none. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './embedded_model';

it.skipIf(process.platform === 'darwin')('measures no GPU where there is none, and says so', () => {
  const args = [join(ROOT, 'dist', 'bench.cjs'), 'metal', '--real'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toMatch(/^DEVICE_UNAVAILABLE: This build has no Metal device[^.]*\.\n$/);
  expect(stdout).toBe('');
  expect(status).toBe(1);
});
