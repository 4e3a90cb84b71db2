/** How the stages of the tests run what they run, and count it. */
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { Failure, Interrupted } from '../../scripts/failure.mjs';
import { ROOT } from '../../scripts/paths.mjs';
import { requireCpp20 } from '../../scripts/setup/toolchain.mjs';
import { counted, inTurn } from '../../scripts/test/checks.mjs';
import { UNDER_SANITIZERS } from '../../scripts/test/sanitized.mjs';
import { countFiles } from '../../scripts/test/vitest.mjs';
import { partOf } from '../../scripts/tidy.mjs';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('the folder for temporary files is asked for when a program is started, not when its stage is read', () => {
  expect(Object.keys(UNDER_SANITIZERS)).toEqual(['ASAN_OPTIONS', 'UBSAN_OPTIONS']);
});

it('a file that fails without a failed test is named, beside the tests that fail', () => {
  const file = (name: string, status: string, ...tests: string[]) => ({
    name: join(ROOT, name),
    status,
    assertionResults: tests.map((of) => ({ fullName: `is ${of}`, status: of })),
  });
  expect(
    countFiles([
      file('whole', 'passed', 'passed', 'skipped'),
      file('wrong', 'failed', 'passed', 'failed'),
      file('empty', 'failed'),
      file('hook', 'failed', 'skipped', 'skipped'),
    ]),
  ).toEqual({
    passed: 2,
    failed: 3,
    skipped: 3,
    failures: ['wrong: is failed', 'empty: does not load', 'hook: fails outside its tests'],
  });
});

it.each([
  ['native/base/a.cpp', 'product'],
  ['build/addon/native/base/CMakeFiles/unity_0_cxx.cxx', 'product'],
  ['test/native/base/a_test.cpp', 'test'],
  ['build/addon/test/native/CMakeFiles/unity_0_cxx.cxx', 'test'],
  ['native/device/metal/a.mm', undefined],
  ['metal/a.cpp', undefined],
  ['../test/native/a.cpp', undefined],
])('clang-tidy takes %s for %s, whatever the folders above the repository are called', (file, part) => {
  for (const root of ['/home/me/emberline', '/test/emberline', '/native/emberline'])
    expect(partOf(join(root, file), root)).toBe(part);
});

it.runIf(process.platform !== 'win32')('a compiler may be named with its arguments', () => {
  // Programs that end well and badly, whatever they are asked to compile.
  for (const [program, compiles] of [['0', true] as const, ['process.exit(1)', false] as const]) {
    vi.stubEnv('CXX', `${process.execPath} -e ${program} --`);
    if (compiles) expect(requireCpp20).not.toThrow();
    else expect(requireCpp20).toThrow('does not compile C++20');
  }
});

it('nothing is begun behind what was interrupted', async () => {
  const begun: string[] = [];
  const work = (name: string) => async () =>
    await counted(name, () => {
      begun.push(name);
      return Promise.reject(new Interrupted());
    });
  // Whoever goes on behind a failure asks for one.
  expect(new Interrupted()).not.toBeInstanceOf(Failure);
  await expect(inTurn([work('first'), work('second')])).rejects.toThrow(Interrupted);
  expect(begun).toEqual(['first']);
});
