import { FOR_BUILDING, FOR_NATIVE_TESTS, FOR_TIDY } from '../setup/debian_packages.mjs';
import { tidy } from '../tidy.mjs';
import { check } from './checks.mjs';

/** @type {Omit<import('./stage.mjs').Stage, 'name' | 'run'>} */
const COMMON = {
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_TIDY],
  needs: ['nativeTests'],
  beside: true,
  platform: 'linux-x64',
};

/**
 * clang-tidy over what has changed.
 * @type {import('./stage.mjs').Stage}
 */
export const tidyChanged = {
  ...COMMON,
  name: 'tidy',
  run: (progress) =>
    check(progress, 'clang-tidy on what has changed', async (log) => void (await tidy(log, { all: false }))),
};

/**
 * clang-tidy over all of the engine and its tests.
 * @type {import('./stage.mjs').Stage}
 */
export const tidyAll = {
  ...COMMON,
  name: 'tidy-all',
  deep: true,
  run: (progress) => check(progress, 'clang-tidy', async (log) => void (await tidy(log, { all: true }))),
};
