import { availableParallelism } from 'node:os';
import { FOR_BUILDING, FOR_NATIVE_TESTS, FOR_SANITIZERS } from '../setup/debian_packages.mjs';
import { DEEP, runGoogleTests } from './google_test.mjs';

/** Accuracy and determinism of many forward passes, minutes long when sanitized; the other tests run the same code. */
const LEFT_OUT =
  '*RealModelReferenceLogits.*:RealModelFullLogits.*:RealModelPerplexity.*:RealModel.GreedyTextDoesNotDependOnTheThreads:Healing.DrawsTokensByWhatTheyLeadTo';
/** GoogleTest's filter of what runs. */
export const SANITIZED = `-${LEFT_OUT}:${DEEP}`;

/** The environment of a program built with the preset `asan`. */
export const UNDER_SANITIZERS = {
  ...process.env,
  // A refused allocation is an error the engine must report, so the sanitizer must not end the program for it.
  ASAN_OPTIONS: 'allocator_may_return_null=1:detect_leaks=1',
  UBSAN_OPTIONS: 'print_stacktrace=1',
};

/**
 * The native tests again, with every access and every undefined behaviour checked.
 * @type {import('./stage.mjs').Stage}
 */
export const sanitized = {
  name: 'sanitized',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_SANITIZERS],
  needs: ['sanitizedTests'],
  deep: true,
  run: (progress) =>
    runGoogleTests(progress, 'asan', 'native tests under sanitizers', {
      env: UNDER_SANITIZERS,
      filter: SANITIZED,
      shards: availableParallelism(),
    }),
};
