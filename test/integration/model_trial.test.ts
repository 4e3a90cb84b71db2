/** A model is tried in a process of its own: with the addon as built, and with stand-ins that do what no addon should. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trialLimit, tryModel } from '../../core/models/model_trial';
import { ADDON, codeOf, MODEL, ROOT } from './embedded_model';

const SCRIPT = join(ROOT, 'dist', 'trial.cjs');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-trial-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** An addon whose loadModel does something. */
function standIn(name: string, loadModel: string): string {
  const path = join(folder, `${name}.cjs`);
  writeFileSync(
    path,
    `const fs = require('node:fs');
     module.exports = { inspect() {}, compileGrammar() {}, loadModel(options) { ${loadModel} } };`,
  );
  return path;
}

const order = (addonPath: string, modelPath = MODEL): Parameters<typeof tryModel>[0] => ({
  addonPath,
  modelPath,
  context: 512,
});

const isGone = (processId: number): boolean =>
  spawnSync('ps', ['-p', String(processId), '-o', 'stat='])
    .stdout.toString()
    .trim()
    .replace(/^Z.*/, '') === '';

describe('a trial', () => {
  it('of the embedded model goes well', async () => {
    expect(await tryModel(order(ADDON), { script: SCRIPT })).toEqual({ ok: true, value: undefined });
  });

  it('of a file that is no model gives its error', async () => {
    const path = join(folder, 'text.gguf');
    writeFileSync(path, 'no model\n'.repeat(100));
    expect(codeOf(await tryModel(order(ADDON, path), { script: SCRIPT }))).toBe('MODEL_NOT_GGUF');
    const missing = join(folder, 'missing.gguf');
    expect(codeOf(await tryModel(order(ADDON, missing), { script: SCRIPT }))).toBe('FILE_NOT_FOUND');
  });

  it.each([
    ['aborts', 'process.abort();'],
    ['ends', 'process.exit(0);'],
    ['is ended', "process.kill(process.pid, 'SIGSEGV'); while (true);"],
    ['throws', "throw new Error('never');"],
    ['answers nonsense', "process.send('yes'); return new Promise(() => {});"],
  ])('in which the engine %s is over, and nothing else is', async (_, what) => {
    const result = await tryModel(order(standIn('breaks', what)), { script: SCRIPT });
    expect(codeOf(result)).toBe('MODEL_CRASHED');
    if (!result.ok) expect(result.error.message).toMatch(/^The engine broke down .*\.gguf \(.+\); .*\.$/);
  });

  it('that does not end is ended', async () => {
    const note = join(folder, 'process');
    const hangs = standIn(
      'hangs',
      `fs.writeFileSync(${JSON.stringify(note)}, String(process.pid)); while (true);`,
    );
    const written = async (): Promise<number> => {
      await expect
        .poll(() => existsSync(note) && readFileSync(note, 'utf8') !== '', { timeout: 60_000 })
        .toBe(true);
      return Number(readFileSync(note, 'utf8'));
    };
    const controller = new AbortController();
    const cancelled = tryModel(order(hangs), { script: SCRIPT, signal: controller.signal });
    const first = await written();
    controller.abort();
    expect(codeOf(await cancelled)).toBe('CANCELLED');
    await expect.poll(() => isGone(first), { timeout: 60_000 }).toBe(true);
    expect(codeOf(await tryModel(order(hangs), { script: SCRIPT, limitMs: 1 }))).toBe('MODEL_TOO_SLOW');
    expect(codeOf(await tryModel(order(hangs), { script: SCRIPT, signal: AbortSignal.abort() }))).toBe(
      'CANCELLED',
    );
  });

  it.each([
    ['one.gguf', ['one.gguf'], 61_000],
    ['m-00001-of-00003.gguf', ['m-00001-of-00003.gguf'], 63_000],
    ['folder', ['folder/config.json', 'folder/a.safetensors', 'folder/b.safetensors'], 62_000],
    ['none.gguf', [], 60_000],
  ])('has time for all bytes of %s', async (path, files, limit) => {
    mkdirSync(join(folder, 'folder'), { recursive: true });
    for (const file of files) {
      writeFileSync(join(folder, file), '');
      truncateSync(join(folder, file), 20_000_000);
    }
    expect(await trialLimit(join(folder, path))).toBe(limit);
  });

  it('has time for weights that lie elsewhere', async () => {
    const blob = join(folder, 'blob');
    writeFileSync(blob, '');
    truncateSync(blob, 40_000_000);
    mkdirSync(join(folder, 'snapshot'));
    symlinkSync(blob, join(folder, 'snapshot', 'model.safetensors'));
    expect(await trialLimit(join(folder, 'snapshot'))).toBe(62_000);
  });

  it('cannot be begun without its script', async () => {
    const result = await tryModel(order(ADDON), { script: join(folder, 'none.cjs') });
    expect(['MODEL_CRASHED', 'TRIAL_NOT_STARTED']).toContain(codeOf(result));
  });
});
