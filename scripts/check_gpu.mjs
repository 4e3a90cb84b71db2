/**
 * Whether the engine as built takes the GPU of this machine, which is asked to complete something: for CI, whose hosted Macs
 * have one that is paravirtualised, of an older family than the kernels need, and which may be given a real one.
 *
 *   node scripts/check_gpu.mjs
 *
 * Tells later steps by `taken=true|false` in the file that GITHUB_OUTPUT names. A GPU that is not taken is a warning, or,
 * with EMBERLINE_REQUIRE_METAL, a failure; anything else that goes wrong always is one.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from './failure.mjs';
import { DIST, ROOT } from './paths.mjs';
import { runCommand } from './processes.mjs';

/**
 * @param {{ status: number | null, stderr: string }} ended how the terminal program did
 * @param {boolean} required
 * @returns {boolean} whether the GPU was taken. Throws Failure.
 */
export function isTaken({ status, stderr }, required) {
  if (status === 0) return true;
  const sentence = stderr.trim();
  if (required || !sentence.startsWith('DEVICE_UNAVAILABLE: ')) {
    throw new Failure(`The GPU computes nothing: ${sentence === '' ? `status ${status}` : sentence}`);
  }
  return false;
}

/** @returns {Promise<number>} */
async function main() {
  const place = ['--file', join(ROOT, 'samples', 'arithmetic.py'), '--line', '1', '--column', '1'];
  const args = [join(DIST, 'cli.cjs'), 'complete', ...place, '--device', 'metal'];
  const ended = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const taken = isTaken(ended, Boolean(process.env['EMBERLINE_REQUIRE_METAL']));
  const output = process.env['GITHUB_OUTPUT'];
  if (output) appendFileSync(output, `taken=${taken}\n`);
  if (taken) console.log('The engine takes the GPU of this machine.');
  else console.log(`::warning::What needs a GPU is left out: ${ended.stderr.trim()}`);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
