/**
 * Checks that a Linux shared object loads on the oldest systems it is meant for, from what it asks of its libraries:
 *   node scripts/check_symbol_versions.mjs [FILE]      (default: the built addon)
 * Prints each offence, then `symbol versions: N passed, N failed`. The build keeps to the limits by cmake/glibc_floor.cmake.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Failure } from './failure.mjs';
import { ADDON } from './paths.mjs';
import { runCommand } from './processes.mjs';

/** The newest version of each library that may be asked for: glibc 2.28 and the libraries of GCC 8, as in Debian 10 and RHEL 8. */
const LIMITS = /** @type {const} */ ({ GLIBC: '2.28', GLIBCXX: '3.4.25', CXXABI: '1.3.11', GCC: '8.0.0' });

/** What glibc, GCC and the loader are made of; every system has these. */
const SYSTEM_LIBRARIES = /^(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)|ld-linux[-\w]*)\.so\.\d+$/;

/** Functions that the host program offers: Node-API, and of libuv those that native/addon/event_loop.cpp calls. */
const OF_THE_HOST =
  /^(?:(?:napi|node_api)_\w+|uv_(?:async_init|async_send|close|handle_(?:get_data|set_data|size)|ref|unref))$/;

/**
 * @param {string} a
 * @param {string} b
 * @returns {boolean} whether version `a` is newer than `b`
 */
export function newer(a, b) {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  for (let i = 0; i < Math.max(left?.length ?? 0, right?.length ?? 0); i++) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/**
 * @param {string} symbols what `readelf --dyn-syms --wide` prints
 * @param {string} dynamic what `readelf --dynamic --wide` prints
 * @returns {{ checked: number, offences: string[] }}
 */
export function symbolOffences(symbols, dynamic) {
  const offences = [];
  let checked = 0;
  // 12: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND pthread_create@GLIBC_2.2.5 (2)
  for (const [, binding, name = '', version] of symbols.matchAll(
    /(GLOBAL|WEAK) +DEFAULT +UND +([^\s@]+)(?:@+(\S+))?/g,
  )) {
    checked++;
    if (version === undefined) {
      if (binding === 'GLOBAL' && !OF_THE_HOST.test(name))
        offences.push(`${name}: no library is known to offer it`);
      continue;
    }
    const [, library = '', number = ''] = /^(\w+?)_([\d.]+)$/.exec(version) ?? [];
    const limit = LIMITS[/** @type {keyof typeof LIMITS} */ (library)];
    if (limit === undefined) offences.push(`${name}: of the unexpected version ${version}`);
    else if (newer(number, limit)) offences.push(`${name}: needs ${version}, newer than ${library}_${limit}`);
  }
  for (const [, tag, value = ''] of dynamic.matchAll(/\((NEEDED|RPATH|RUNPATH)\).*\[(.*)\]/g)) {
    checked++;
    if (tag !== 'NEEDED') offences.push(`${tag} ${value}: the folders of this machine must not be searched`);
    else if (!SYSTEM_LIBRARIES.test(value)) offences.push(`${value}: not a library that every system has`);
  }
  return { checked, offences };
}

/**
 * @param {string} option
 * @param {string} file
 */
function readelf(option, file) {
  const { status, stdout, error } = spawnSync('readelf', [option, '--wide', file], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
    maxBuffer: 2 ** 28,
  });
  if (error !== undefined) throw new Failure('readelf is missing; install binutils.');
  if (status !== 0)
    throw new Failure(`${file} is not a shared object that readelf can read; build it first.`);
  return stdout;
}

/** @returns {Promise<number>} */
async function main() {
  const file = process.argv[2] ?? ADDON;
  const { checked, offences } = symbolOffences(readelf('--dyn-syms', file), readelf('--dynamic', file));
  if (checked === 0) throw new Failure(`${file} asks nothing of any library; that cannot be.`);
  for (const offence of offences) console.log(offence);
  console.log(`symbol versions: ${checked - offences.length} passed, ${offences.length} failed`);
  return offences.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
