/** llama.cpp's own server, for tests and the bench. As a program: prints the path of it. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../failure.mjs';
import { ROOT } from '../paths.mjs';
import { run, runCommand } from '../processes.mjs';
import { Progress } from '../progress.mjs';
import { ensureDebianPackages, FOR_LLAMA_SERVER } from './debian_packages.mjs';
import { ensurePythonPackages, PIP } from './python_packages.mjs';

const PROGRAM = process.platform === 'win32' ? 'llama-server.exe' : 'llama-server';

/** Its page in the browser would be downloaded, and what else there is takes time. */
const OPTIONS = [
  ...['CMAKE_BUILD_TYPE=Release', 'BUILD_SHARED_LIBS=OFF'],
  ...['LLAMA_BUILD_TESTS=OFF', 'LLAMA_BUILD_EXAMPLES=OFF', 'LLAMA_BUILD_APP=OFF'],
  ...['LLAMA_BUILD_UI=OFF', 'LLAMA_USE_PREBUILT_UI=OFF'],
];

/**
 * Compiles it for this processor, once: a quarter of an hour on two cores.
 * @param {Progress} progress
 * @returns {Promise<string>} the path of the program
 */
export async function ensureLlamaServer(progress) {
  const folder = await ensurePythonPackages(
    progress,
    {
      name: 'llama-server',
      locked: join(ROOT, 'scripts', 'setup', 'llama_server.txt'),
      what: "llama.cpp's server",
      needs: 'Python 3 with venv, CMake, Ninja, a C++17 compiler',
    },
    async ({ python, locked, ...options }, staging) => {
      const place = join(staging, 'sources');
      mkdirSync(place);
      const which = [
        '--no-deps',
        '--no-binary=llama-cpp-python',
        '--require-hashes',
        '--requirement',
        locked,
      ];
      await run(python, [...PIP, 'download', ...which, '--dest', place], options);
      for (const archive of readdirSync(place))
        await run(python, ['-m', 'tarfile', '-e', join(place, archive), place], options);
      const [name = ''] = readdirSync(place, { withFileTypes: true }).flatMap((one) =>
        one.isDirectory() ? [one.name] : [],
      );
      const build = join(staging, 'build');
      const sources = join(place, name, 'vendor', 'llama.cpp');
      const defined = OPTIONS.map((option) => `-D${option}`);
      await run('cmake', ['-S', sources, '-B', build, '-G', 'Ninja', ...defined], options);
      const parallel = ['--parallel', String(availableParallelism())];
      await run('cmake', ['--build', build, '--target', 'llama-server', ...parallel], options);
      copyFileSync(join(build, 'bin', PROGRAM), join(staging, PROGRAM));
      for (const one of [place, build]) rmSync(one, { recursive: true });
    },
  );
  const program = join(folder, PROGRAM);
  // A folder that came from another machine may hold instructions that this processor lacks.
  if (!existsSync(program) || spawnSync(program, ['--version']).status !== 0)
    throw new Failure(`${program} does not start; remove ${folder}, then try again.`);
  return program;
}

/** @returns {Promise<number>} */
async function main() {
  const progress = new Progress();
  await ensureDebianPackages(FOR_LLAMA_SERVER, progress);
  console.log(await ensureLlamaServer(progress));
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
