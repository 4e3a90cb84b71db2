/** Installs the peer, llama.cpp as node-llama-cpp packages it. It is no dependency: only `--peer` asks for it. */
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../cli/failure';
import { LOGS, PEER_PACKAGE, PEER_PROGRAM, SOURCES } from '../build_folder';
import { runProgram } from '../program_run';

/** The one place that says which version is measured. llama_library.cpp knows the layout of its structs. */
const PEER_VERSION = '3.22.1';

/** The package with the libraries for this platform. */
const LIBRARY_PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
};

/** Platforms on which the C++ program can open the package's libraries. */
const PROGRAM_PLATFORMS = ['linux', 'darwin'];

export interface Peer {
  /** The folder to run Node in, so that it finds the package. */
  readonly folder: string;
  /** llama.cpp's shared libraries. */
  readonly libraries: string;
  /** The program that calls them without Node; undefined where there is none. */
  readonly program: string | undefined;
}

/** Installs and compiles what is missing. Throws Failure. */
export async function ensurePeer(onStep: (step: string) => void): Promise<Peer> {
  const name = LIBRARY_PACKAGES[`${process.platform}-${process.arch}`];
  if (name === undefined) {
    throw new Failure({
      code: 'PEER_UNAVAILABLE',
      message: `There is no build of the peer for ${process.platform}-${process.arch}; leave out --peer.`,
    });
  }
  await installPackage(name, onStep);
  const libraries = join(PEER_PACKAGE, 'node_modules', '@node-llama-cpp', name, 'bins', name);
  const program = PROGRAM_PLATFORMS.includes(process.platform) ? await compileProgram(onStep) : undefined;
  return { folder: PEER_PACKAGE, libraries, program };
}

async function installPackage(name: string, onStep: (step: string) => void): Promise<void> {
  // Written last: an installation that was interrupted is made again.
  const mark = join(PEER_PACKAGE, `installed-${PEER_VERSION}-${name}`);
  if (existsSync(mark)) return;
  onStep(`installing node-llama-cpp ${PEER_VERSION}`);
  mkdirSync(PEER_PACKAGE, { recursive: true });
  writeFileSync(join(PEER_PACKAGE, 'package.json'), '{ "private": true }\n');
  const packages = [`node-llama-cpp@${PEER_VERSION}`, `@node-llama-cpp/${name}@${PEER_VERSION}`];
  await runProgram({
    program: 'npm',
    args: ['install', ...packages, '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'],
    folder: PEER_PACKAGE,
    environment: { NODE_LLAMA_CPP_SKIP_DOWNLOAD: 'true' },
    log: join(LOGS, 'peer_install.log'),
    failure: {
      code: 'PEER_INSTALL_FAILED',
      message: 'The peer could not be installed; --peer needs a network the first time.',
    },
  });
  writeFileSync(mark, '');
}

async function compileProgram(onStep: (step: string) => void): Promise<string> {
  const source = (file: string): string => join(SOURCES, 'peer', file);
  const sources = ['llama_peer.cpp', 'llama_library.cpp', 'llama_library.h'].map(source);
  if (isUpToDate(PEER_PROGRAM, sources)) return PEER_PROGRAM;
  onStep('compiling the peer’s program');
  await runProgram({
    program: process.env['CXX'] ?? 'c++',
    args: [
      ...['-std=c++20', '-O2', source('llama_peer.cpp'), source('llama_library.cpp')],
      ...['-o', PEER_PROGRAM, '-ldl', '-pthread'],
    ],
    log: join(LOGS, 'llama_peer.log'),
    failure: {
      code: 'PEER_BUILD_FAILED',
      message: 'The program that calls the peer could not be compiled; it needs a C++20 compiler.',
    },
  });
  return PEER_PROGRAM;
}

function isUpToDate(made: string, from: readonly string[]): boolean {
  const time = (path: string): number => statSync(path).mtimeMs;
  return existsSync(made) && from.every((path) => time(path) <= time(made));
}
