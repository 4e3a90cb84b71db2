/** The bench as a program: how it ends. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../temporary_folder';
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

it.each(['--html', '--details'])('prints what it has measured, also where %s cannot be written', (option) => {
  const folder = temporaryFolder();
  const cases = join(folder, 'cases.jsonl');
  const one = { id: 'a', path: 'a.py', prefix: 'import ', suffix: '\n', expected: 'os' };
  writeFileSync(cases, JSON.stringify(one));
  const args = [BENCH, 'quality', '--cases', cases, '--greedy', option, join(folder, 'none', 'file')];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toMatch(/^FILE_NOT_FOUND: .*file cannot be written; check the path\.\n$/);
  expect(stdout).toMatch(/^quality\/greedy-py-mid-places +1 /m);
  expect(status).toBe(1);
});
