/** `npm run emberline`, `npm run bench`: runs a bundle of dist/ in this process, or says how to make it. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DIST } from './paths.mjs';

const [name = ''] = process.argv.splice(2, 1);
const bundle = join(DIST, `${name}.cjs`);
if (existsSync(bundle)) {
  // npm runs scripts in the package's folder; paths are meant from where the command was typed.
  process.chdir(process.env['INIT_CWD'] ?? process.cwd());
  createRequire(import.meta.url)(bundle);
} else {
  console.error('Emberline is not built: run `npm run build` first.');
  process.exitCode = 1;
}
