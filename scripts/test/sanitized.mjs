import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { sum } from '../counts.mjs';
import { BUILD, vscodeTarget } from '../paths.mjs';
import { FOR_BUILDING, FOR_NATIVE_TESTS, FOR_SANITIZERS } from '../setup/debian_packages.mjs';
import { DEEP, runGoogleTests } from './preset_tests.mjs';
import { runVitest } from './vitest.mjs';

/** Accuracy and determinism of many forward passes, and laws of many draws, minutes long when sanitized; the other tests run the same code. */
const LEFT_OUT =
  'AcceptanceDraws.Follow*:DrawLaw.*:GumbelNoise.*:RandomStreams.*:*RealModelReferenceLogits.*:RealModelFullLogits.*:RealModelPerplexity.*:RealModel.GreedyTextDoesNotDependOnTheThreads:Healing.DrawsTokensByWhatTheyLeadTo';
/** GoogleTest's filter of what runs. */
export const SANITIZED = `-${LEFT_OUT}:${DEEP}`;

/** What a program built with the preset `asan` has in its environment besides. */
export const UNDER_SANITIZERS = {
  // A refused allocation is an error the engine must report, so the sanitizer must not end the program for it.
  ASAN_OPTIONS: 'allocator_may_return_null=1',
  UBSAN_OPTIONS: 'print_stacktrace=1',
};

/**
 * The native tests again, and random calls of the addon, with every access and every undefined behaviour checked.
 * @type {import('./stage.mjs').Stage}
 */
export const sanitized = {
  name: 'sanitized',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_SANITIZERS],
  needs: ['sanitizedTests'],
  deep: true,
  run: async (progress) => {
    const counts = await runGoogleTests(progress, 'asan', 'native tests under sanitizers', {
      env: UNDER_SANITIZERS,
      filter: SANITIZED,
      spread: true,
    });
    if (vscodeTarget() !== 'linux-x64') return counts;
    return sum([counts, await randomCalls(progress)]);
  },
};

/**
 * Node.js itself is not built with sanitizers: their library is loaded before it, and what it leaves at its end is not looked at.
 * @param {import('../progress.mjs').Progress} progress
 * @returns {Promise<import('../counts.mjs').Counts>}
 */
async function randomCalls(progress) {
  const library = execFileSync('clang++-19', ['-print-file-name=libclang_rt.asan-x86_64.so'], {
    encoding: 'utf8',
  });
  return await runVitest(progress, 'deep', 'random calls of the addon under sanitizers', {
    args: ['random_calls'],
    env: {
      ...UNDER_SANITIZERS,
      ASAN_OPTIONS: 'allocator_may_return_null=1:detect_leaks=0',
      EMBERLINE_CALLS_ADDON: join(BUILD, 'asan', 'native', 'addon', 'emberline.node'),
      EMBERLINE_CALLS_PRELOAD: library.trim(),
    },
  });
}
