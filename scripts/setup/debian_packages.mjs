import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Failure } from '../failure.mjs';
import { run } from '../processes.mjs';
import { commandPath } from './command_path.mjs';
import { PYTHON } from './python_packages.mjs';

/**
 * Something that must be on the machine: a Debian package, and how to see without a package database that it is there.
 * @typedef {{ package: string, provides: string, present: () => boolean }} Requirement
 */

/**
 * @param {string} name
 * @param {string} provides what the package is for, as a person would call it
 * @param {string[]} commands any of which will do
 * @returns {Requirement}
 */
const command = (name, provides, ...commands) => ({
  package: name,
  provides,
  present: () => commands.some((c) => commandPath(c) !== undefined),
});

/**
 * @param {string} name
 * @param {string} provides
 * @param {string[]} files any of which will do
 * @returns {Requirement}
 */
const file = (name, provides, ...files) => ({
  package: name,
  provides,
  present: () => files.some((path) => existsSync(path)),
});

/** @returns {[string, ...string[]]} the C++ compiler that CXX names, with its arguments: CMake takes `ccache g++`, too; otherwise the first there is */
export function compilerCommand() {
  const named = process.env['CXX']?.trim() ?? '';
  if (named === '')
    return [['c++', 'g++', 'clang++'].find((name) => commandPath(name) !== undefined) ?? 'c++'];
  const [compiler = '', ...args] = existsSync(named) ? [named] : named.split(/\s+/);
  return [compiler, ...args];
}

const CMAKE = command('cmake', 'CMake', 'cmake');

/** What builds the addon. On Windows CMake finds Visual Studio, which is on no PATH. */
export const FOR_BUILDING =
  process.platform === 'win32'
    ? [CMAKE]
    : [
        command('g++', 'a C++20 compiler', 'c++', 'g++', 'clang++', compilerCommand()[0]),
        CMAKE,
        // Not make, which cmake-js takes where Ninja is missing: the presets build in the same folder, with Ninja.
        command('ninja-build', 'Ninja', 'ninja'),
      ];

/** What the tests of the engine need besides. */
export const FOR_NATIVE_TESTS = [
  file(
    'libgtest-dev',
    'GoogleTest',
    '/usr/include/gtest/gtest.h',
    '/usr/local/include/gtest/gtest.h',
    '/opt/homebrew/include/gtest/gtest.h',
  ),
];

export const FOR_PORTABILITY = [
  command('qemu-user', 'an emulator of older processors', 'qemu-x86_64'),
  command('g++-mingw-w64-x86-64-posix', 'a compiler for Windows', 'x86_64-w64-mingw32-g++-posix'),
  command('binutils', 'objdump', 'objdump'),
];

export const FOR_ARM = [
  command('qemu-user', 'an emulator of Arm processors', 'qemu-aarch64'),
  command('g++-aarch64-linux-gnu', 'a compiler for 64-bit Arm', 'aarch64-linux-gnu-g++'),
  // As sources: its library is for this machine's own processor.
  file('googletest', 'the sources of GoogleTest', '/usr/src/googletest/googletest/CMakeLists.txt'),
];

/** What plays the compiler of Metal kernels, and compiles Objective-C++. */
export const FOR_METAL = [command('clang-19', 'Clang 19', 'clang++-19')];

/** @type {Requirement} */
const PYTHON_VENV = {
  package: 'python3-venv',
  provides: 'Python with venv',
  present: () => spawnSync(PYTHON, ['-c', 'import ensurepip, venv']).status === 0,
};

/** Python 3.11 or newer that can make environments of its own. */
export const FOR_TRAINING = [PYTHON_VENV];

/** What builds llama.cpp's server. */
export const FOR_LLAMA_SERVER = [
  PYTHON_VENV,
  command('g++', 'a C++ compiler', 'c++', 'g++', 'clang++'),
  CMAKE,
  command('ninja-build', 'Ninja', 'ninja'),
  file(
    'libssl-dev',
    'OpenSSL, for https',
    '/usr/include/openssl/ssl.h',
    '/opt/homebrew/include/openssl/ssl.h',
  ),
];

/** What builds the addon for other platforms. */
export const FOR_ZIG = [command('ninja-build', 'Ninja', 'ninja'), PYTHON_VENV];

/** What runs the Node.js of other platforms. */
export const FOR_PLATFORMS = [
  ...FOR_ZIG,
  command('qemu-user', 'an emulator of Arm processors', 'qemu-aarch64'),
  file('libstdc++6-arm64-cross', "Arm's C++ library", '/usr/aarch64-linux-gnu/lib/libstdc++.so.6'),
  file('wine64', 'Wine, which runs programs for Windows', '/usr/lib/wine/wine64'),
  command('binutils', 'readelf', 'readelf'),
];

/** What compiles the fuzzers, and on Linux whatever runs under sanitizers or random schedules (cmake/sanitizer_compiler.cmake). */
export const FOR_FUZZING = [
  ...FOR_METAL,
  file(
    'libclang-rt-19-dev',
    'the sanitizers and libFuzzer of Clang 19',
    '/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.fuzzer-x86_64.a',
    '/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.fuzzer-aarch64.a',
  ),
];

export const FOR_SANITIZERS = process.platform === 'linux' ? FOR_FUZZING : [];

/** Clang 19's own coverage, of what the fuzzers read. */
export const FOR_COVERAGE = [
  ...FOR_BUILDING,
  ...FOR_NATIVE_TESTS,
  ...FOR_FUZZING,
  command('llvm-19', 'llvm-cov 19', 'llvm-cov-19'),
];

export const FOR_TIDY = [command('clang-tidy-22', 'clang-tidy 22', 'clang-tidy-22')];

export const FOR_LINT = [command('clang-format-19', 'clang-format 19', 'clang-format-19')];

/** Chromium draws no text without a font. */
export const FOR_BROWSER_TESTS = [
  command('chromium', 'Chromium', 'chromium'),
  file('fonts-dejavu-core', 'a fixed-width font', '/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf'),
];

/**
 * Installs the Debian packages that are missing, when it may; otherwise says which they are.
 * @param {readonly Requirement[]} requirements
 * @param {import('../progress.mjs').Progress} progress
 */
export async function ensureDebianPackages(requirements, progress) {
  const missing = requirements.filter((requirement) => !requirement.present());
  if (missing.length === 0) return;
  const names = [...new Set(missing.map((requirement) => requirement.package))].join(' ');
  const provided = missing.map((requirement) => requirement.provides).join(', ');
  if (commandPath('apt-get') === undefined) {
    throw new Failure(`Missing on this machine: ${provided}; install it (Debian's name for it: ${names}).`);
  }
  if (process.getuid?.() !== 0) {
    throw new Failure(
      `Missing on this machine: ${provided}; install it with\n\n` +
        `  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names}\n`,
    );
  }
  await progress.step(`install ${names}`, async (log) => {
    const options = {
      log,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      failure: `The Debian packages ${names} could not be installed: apt-get failed.`,
    };
    await run('apt-get', ['update'], options);
    await run('apt-get', ['install', '-y', '--no-install-recommends', ...names.split(' ')], options);
  });
  const still = missing.filter((requirement) => !requirement.present());
  if (still.length > 0) {
    const what = still.map((requirement) => requirement.provides).join(', ');
    throw new Failure(`Still missing after installing ${names}: ${what}.`);
  }
}
