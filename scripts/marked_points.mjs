import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './failure.mjs';
import { BUILD, RELEASE } from './paths.mjs';

/** The names of native/base/schedule.h and scheduled_threads.h, as nm writes them. */
const OF_SCHEDULES = /emberline::(?:Schedule|schedule_|under_schedule)/;
/** Not optimised, an object has megabytes of names. */
const MOST_OUTPUT_BYTES = 64 * 2 ** 20;

/**
 * @param {string} build a CMake build folder
 * @returns {string[]} symbols of schedules in the objects of the engine there
 */
function symbolsOfSchedules(build) {
  /** @type {{ command: string, directory: string }[]} */
  const objects = JSON.parse(readFileSync(join(build, 'compile_commands.json'), 'utf8'));
  return objects.flatMap(({ command, directory }) => {
    const [, output = ''] = / -o (native\/\S+)/.exec(command) ?? [];
    if (output === '') return [];
    const { status, stdout } = spawnSync('nm', ['-C', join(directory, output)], {
      encoding: 'utf8',
      maxBuffer: MOST_OUTPUT_BYTES,
    });
    if (status !== 0) throw new Failure(`nm does not read ${output}.`);
    return stdout
      .split('\n')
      .filter((line) => OF_SCHEDULES.test(line))
      .map((line) => `${output}: ${line}`);
  });
}

/**
 * Rejects where an object of the release build defines or calls anything of a schedule: there a marked point is to be nothing. The build
 * with marked points shows that they would be seen.
 * @param {string} log
 */
export async function findMarkedPoints(log) {
  const marked = symbolsOfSchedules(join(BUILD, 'interleavings'));
  const released = symbolsOfSchedules(RELEASE);
  writeFileSync(log, `${marked.length} in the build with marked points\n${released.join('\n')}\n`);
  if (marked.length === 0)
    throw new Failure('The build with marked points has none; look for their new names.');
  if (released.length > 0) throw new Failure(`The release build has ${released.length} of them.`, log);
}
