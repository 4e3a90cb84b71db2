import { spawnSync } from 'node:child_process';
import { Failure } from '../failure.mjs';
import { compilerCommand, ensureDebianPackages, FOR_BUILDING } from './debian_packages.mjs';

/** The oldest CMake that reads CMakePresets.json version 3 as this project uses it. */
const CMAKE = [3, 22];

/**
 * Sees to a compiler, CMake and a build tool before anything is built, so that a missing one is named in a sentence instead of in
 * the middle of a build's output.
 * @param {import('../progress.mjs').Progress} progress
 */
export async function ensureToolchain(progress) {
  await ensureDebianPackages(FOR_BUILDING, progress);
  requireCMake();
  if (process.platform !== 'win32') requireCpp20();
}

function requireCMake() {
  const { stdout } = spawnSync('cmake', ['--version'], { encoding: 'utf8' });
  const [, major = '0', minor = '0'] = /version (\d+)\.(\d+)/.exec(stdout) ?? [];
  const [wantedMajor = 0, wantedMinor = 0] = CMAKE;
  if (Number(major) < wantedMajor || (Number(major) === wantedMajor && Number(minor) < wantedMinor)) {
    throw new Failure(`CMake ${CMAKE.join('.')} or newer is needed; this is ${major}.${minor}.`);
  }
}

/** Fails where the C++ compiler does not compile C++20. */
export function requireCpp20() {
  const [compiler, ...args] = compilerCommand();
  const program = '#include <concepts>\n#include <span>\nint main() { static_assert(std::integral<int>); }\n';
  const { status } = spawnSync(compiler, [...args, '-std=c++20', '-fsyntax-only', '-x', 'c++', '-'], {
    input: program,
  });
  if (status !== 0) {
    throw new Failure(
      `A C++20 compiler is needed (GCC 12, Clang 16 or newer); \`${[compiler, ...args].join(' ')}\` does not compile C++20.`,
    );
  }
}
