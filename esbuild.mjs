/**
 * Bundles what runs: the extension, its dashboard's page, the terminal program, the bench, and the tests that run inside an editor.
 * Options: `--debug` (readable, with source maps), `--watch` (the same, and again at every change).
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { context } from 'esbuild';

const { values } = parseArgs({
  options: { debug: { type: 'boolean', default: false }, watch: { type: 'boolean', default: false } },
});
const debug = values.debug || values.watch;

const ROOT = import.meta.dirname;
const SUITES = ['test/vscode/suite', 'test/vscode/simulated_gpu'];

/** @type {import('esbuild').BuildOptions} */
const shared = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minify: !debug,
  keepNames: true,
  // Linked beside the bundle for whoever debugs it; the package leaves it out.
  sourcemap: 'linked',
  logLevel: 'info',
  outExtension: { '.js': '.cjs' },
  // Its CommonJS form finds its own files at run time only, where there are none.
  alias: { 'jsonc-parser': './node_modules/jsonc-parser/lib/esm/main.js' },
};

/** @type {import('esbuild').BuildOptions[]} */
const bundles = [
  { ...shared, entryPoints: { extension: 'extension/main.ts' }, outdir: 'dist', external: ['vscode'] },
  {
    // The dashboard's page runs in a webview: what it draws with is in no other bundle.
    ...shared,
    entryPoints: ['main.ts', 'page.css'].map((name) => ({
      in: `extension/dashboard/page/${name}`,
      out: 'page',
    })),
    outdir: 'dist/dashboard',
    platform: 'browser',
    format: 'iife',
    // Of VS Code 1.95.
    target: 'chrome128',
    outExtension: {},
  },
  { ...shared, entryPoints: { trial: 'core/models/trial_process.ts' }, outdir: 'dist' },
  { ...shared, entryPoints: { template: 'core/chat/template_process.ts' }, outdir: 'dist' },
  { ...shared, entryPoints: { cli: 'cli/main.ts' }, outdir: 'dist' },
  // Vega is an ES module with a top-level await, which no CommonJS bundle can hold; the bench runs beside node_modules.
  { ...shared, entryPoints: { bench: 'bench/main.ts' }, outdir: 'dist', external: ['vega'] },
  {
    ...shared,
    entryPoints: [
      'test/vscode/runner/mocha_entry.ts',
      ...SUITES.flatMap((suite) =>
        readdirSync(join(ROOT, suite))
          .filter((name) => name.endsWith('.test.ts'))
          .map((name) => `${suite}/${name}`),
      ),
    ],
    outbase: 'test/vscode',
    outdir: 'dist/test/vscode',
    external: ['vscode', 'mocha'],
    minify: false,
  },
];

// A suite that is gone would run on.
rmSync(join(ROOT, 'dist', 'test', 'vscode'), { recursive: true, force: true });
for (const options of bundles) {
  const builder = await context(options);
  if (values.watch) {
    await builder.watch();
  } else {
    await builder.rebuild();
    await builder.dispose();
  }
}
