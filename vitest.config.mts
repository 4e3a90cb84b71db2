import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Set by `npm run test:e2e -- --screenshot FILE`: take the picture instead of running the tests. */
const TAKE_SCREENSHOT = process.env['EMBERLINE_SCREENSHOT'] !== undefined;
/** Set by `npm run test:e2e -- --paint KEYS`: measure how long keys take until they are painted instead of running the tests. */
const MEASURE_PAINT = process.env['EMBERLINE_PAINT'] !== undefined;
/** Set by `npm run test:e2e -- --delay SECONDS`: measure how late the event loop is instead of running the tests. */
const MEASURE_DELAY = process.env['EMBERLINE_DELAY'] !== undefined;

const INSTEAD = {
  'screenshot.ts': TAKE_SCREENSHOT,
  'key_to_paint.ts': MEASURE_PAINT,
  'loop_delay.ts': MEASURE_DELAY,
};
const END_TO_END = Object.entries(INSTEAD).find(([, asked]) => asked)?.[0] ?? '*.test.ts';
const STANDING_IN_FOR_VSCODE = {
  resolve: { alias: { vscode: join(import.meta.dirname, 'test', 'unit', 'vscode_stub.ts') } },
};
const REPLACING_MODULES = 'test/unit/mocked/*.test.ts';
const IN_THE_BROWSER = {
  globalSetup: 'test/e2e/editor_setup.ts',
  // What a browser draws, and when, hangs on its focus and on who else computes; what is wrong fails twice.
  retry: 1,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  fileParallelism: false,
};

export default defineConfig({
  test: {
    projects: [
      {
        ...STANDING_IN_FOR_VSCODE,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: [REPLACING_MODULES],
          testTimeout: 30_000,
          // A process takes one file after the other: starting one for each would take longer than most tests.
          isolate: false,
        },
      },
      {
        // What a file puts in a module's place stays with it.
        ...STANDING_IN_FOR_VSCODE,
        test: { name: 'unit-mocked', include: [REPLACING_MODULES], testTimeout: 30_000 },
      },
      {
        // These load the addon and the model: run one at a time, because the engine uses every core.
        test: {
          name: 'integration',
          include: ['test/{conformance,integration}/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        // What takes minutes and proves more: part of `npm run test:deep`.
        test: {
          name: 'deep',
          include: ['test/deep/**/*.test.ts', 'test/conformance/{tokenizer,json_schema}.test.ts'],
          env: { EMBERLINE_EVERY_CASE: '1' },
          testTimeout: 1_800_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        // Needs llama.cpp's own server: the stage `remote-server` compiles it.
        test: {
          name: 'remote-server',
          include: ['test/llama_server/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        // Needs vLLM: EMBERLINE_VLLM names a Python that has it.
        test: {
          name: 'vllm',
          include: ['test/vllm/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 900_000,
          fileParallelism: false,
        },
      },
      {
        // What the preset metal-sim builds.
        test: {
          name: 'metal',
          include: ['test/metal-sim/addon/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: [`test/e2e/${END_TO_END}`],
          ...IN_THE_BROWSER,
          // All files share a window (test/e2e/shared_window.ts).
          isolate: false,
        },
      },
      {
        test: {
          name: 'endurance',
          include: ['test/e2e/endurance/*.test.ts'],
          ...IN_THE_BROWSER,
        },
      },
    ],
  },
});
