import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { oneFailed, onePassed, sum } from './counts.mjs';
import { Failure } from './failure.mjs';
import { ROOT } from './paths.mjs';

/** Compiler options that ask for a wider instruction set. */
const WIDENING = / -m(avx|fma|f16c|bmi|arch=)/;
/** An object of what is shipped. The simulated GPU, which is built in the same folder, needs a wide processor anyway. */
const SHIPPED = / -o native\//;

/**
 * Looks at the objects of what is shipped that are compiled for a wider instruction set than the rest: none may hold a function that the
 * linker could take for another object's of the same name. Which of the two it takes depends on the order of its input, so a test run alone
 * cannot show this.
 * @param {string} build a CMake build folder
 * @param {string} nm that reads its objects
 * @param {string} log
 * @returns {Promise<import('./counts.mjs').Row>} with an object file as a test
 */
export async function findWideCode(build, nm, log) {
  /** @type {{ command: string, directory: string }[]} */
  const objects = JSON.parse(readFileSync(join(build, 'compile_commands.json'), 'utf8'));
  const wide = objects.filter(({ command }) => WIDENING.test(command) && SHIPPED.test(command));
  if (wide.length === 0)
    throw new Failure('No object is compiled for a wider instruction set; look for its new options.');
  const counts = [];
  for (const { command, directory } of wide) {
    const [, output = ''] = / -o (\S+)/.exec(command) ?? [];
    const { status, stdout } = spawnSync(nm, ['-C', join(directory, output)], { encoding: 'utf8' });
    if (status !== 0) throw new Failure(`${nm} does not read ${output}.`);
    // W, V, u: defined here, and in any other object that wants it.
    const shared = stdout.split('\n').filter((line) => /^[0-9a-f]+ [WVu] /.test(line));
    counts.push(
      shared.length === 0
        ? onePassed()
        : oneFailed(`${relative(ROOT, join(directory, output))} has wide code that may leak`),
    );
    appendFileSync(
      log,
      `${output}: ${shared.length} functions that may be taken for others\n${shared.join('\n')}\n`,
    );
  }
  return { name: 'wide objects', ...sum(counts) };
}
