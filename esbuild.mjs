/**
 * Bundles what runs: the extension, its dashboard's page, the terminal program, the bench, and the tests that run inside an editor.
 * Options: `--debug` (readable, with source maps), `--watch` (the same, and again at every change).
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { context } from 'esbuild';

const { values } = parseArgs({
  options: { debug: { type: 'boolean', default: false }, watch: { type: 'boolean', default: false } },
});
const debug = values.debug || values.watch;

const ROOT = import.meta.dirname;
/** Of the bundles those that the package holds, as .vscodeignore names them. */
const PACKAGED = ['dist/extension.cjs', 'dist/dashboard/page.js', 'dist/trial.cjs', 'dist/template.cjs'];
const SUITES = ['test/vscode/suite', 'test/vscode/simulated_gpu', 'test/vscode/load'];

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
  // core/schema/bundled/package.json is a schema, of files that are called so.
  logOverride: { 'package.json': 'silent' },
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
/** What the bundles of the package are made of, for its bill of materials (scripts/sbom/). @type {import('esbuild').Metafile} */
const packaged = { inputs: {}, outputs: {} };
for (const options of bundles) {
  const builder = await context({ ...options, metafile: true });
  if (values.watch) {
    await builder.watch();
  } else {
    const { metafile } = await builder.rebuild();
    if (PACKAGED.some((name) => Object.keys(metafile?.outputs ?? {}).includes(name))) {
      Object.assign(packaged.inputs, metafile?.inputs);
      Object.assign(packaged.outputs, metafile?.outputs);
    }
    await builder.dispose();
  }
}
if (!values.watch) {
  mkdirSync(join(ROOT, 'build'), { recursive: true });
  writeFileSync(join(ROOT, 'build', 'packaged_bundles.json'), JSON.stringify(packaged));
}
