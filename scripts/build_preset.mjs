import { availableParallelism } from 'node:os';
import { run } from './processes.mjs';

/** @typedef {import('./progress.mjs').Progress} Progress */

/** A step names no more of them. */
const NAMED_TARGETS = 3;

/**
 * Configures a preset of CMakePresets.json and builds it, as a step.
 * @param {Progress} progress
 * @param {string} preset
 * @param {object} [how]
 * @param {string} [how.what] what is built, in the step's name and where it fails
 * @param {readonly string[]} [how.targets] default: the preset's
 * @param {Record<string, string>} [how.definitions] for CMake, beyond the preset's
 * @param {string} [how.needs] a sentence: what may be missing where it fails
 */
export async function buildPreset(progress, preset, how = {}) {
  const { what = 'the native tests', targets = [], definitions = {}, needs = '' } = how;
  const named = targets.length <= NAMED_TARGETS ? targets.join(', ') : `${targets.length} targets`;
  await progress.step(`build ${what} (${[preset, named].filter(Boolean).join(': ')})`, async (log) => {
    const failure = `CMake or the compiler failed to build ${what} (preset ${preset}). ${needs}`.trimEnd();
    const given = Object.entries(definitions).map(([name, value]) => `-D${name}=${value}`);
    await run('cmake', ['--preset', preset, ...given], { log, failure });
    const parallel = ['--parallel', String(availableParallelism())];
    const chosen = targets.flatMap((target) => ['--target', target]);
    await run('cmake', ['--build', '--preset', preset, ...parallel, ...chosen], { log, failure });
  });
}
