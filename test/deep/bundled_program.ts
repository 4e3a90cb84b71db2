/** A program of a test that runs in a process of its own. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../integration/embedded_model';

/**
 * Bundles `test/deep/NAME/program.ts`.
 * @param folder Where to.
 * @returns the path of the program
 */
export async function bundledProgram(name: string, folder: string): Promise<string> {
  const outfile = join(folder, 'program.mjs');
  await build({
    entryPoints: [join(ROOT, 'test', 'deep', name, 'program.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile,
    logLevel: 'error',
  });
  return outfile;
}
