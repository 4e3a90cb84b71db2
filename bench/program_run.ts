/** Runs the programs that prepare a measurement, compilers, CMake, npm, and those that measure and print what they find. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../cli/failure';

export interface ProgramRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Where its output goes. */
  readonly log: string;
  /** What a person is told when it fails; the log's path is added. */
  readonly failure: { readonly code: string; readonly message: string };
}

/** Of what a program prints, bytes: of some it is some a token. */
const MOST_OUTPUT = 2 ** 30;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});

/** Settles when the program has succeeded. Throws Failure. */
export async function runProgram(run: ProgramRun): Promise<void> {
  mkdirSync(dirname(run.log), { recursive: true });
  const log = openSync(run.log, 'w');
  try {
    const status = await new Promise<number | null>((resolve) => {
      const child = spawn(run.program, run.args, {
        ...(run.folder === undefined ? {} : { cwd: run.folder }),
        env: { ...process.env, ...run.environment },
        stdio: ['ignore', log, log],
        windowsHide: true,
        // npm and its kin are scripts there.
        shell: process.platform === 'win32' && run.program === 'npm',
      });
      running.add(child);
      const settle = (code: number | null): void => {
        running.delete(child);
        resolve(code);
      };
      child.once('error', () => settle(null));
      child.once('exit', settle);
    });
    if (status === 0) return;
  } finally {
    closeSync(log);
  }
  const { code, message } = run.failure;
  throw new Failure({ code, message: `${message} The details are in ${run.log}.` });
}

/** What a program prints, which ends with this process. Rejects as `execFile` does. */
export function printedBy(
  program: string,
  args: readonly string[],
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const run = promisify(execFile)(program, args, { maxBuffer: MOST_OUTPUT, windowsHide: true });
  running.add(run.child);
  return run.finally(() => running.delete(run.child));
}

/** The same of one that must succeed. Throws Failure with what it says. */
export async function outputOf(program: string, args: readonly string[] = []): Promise<string> {
  try {
    return (await printedBy(program, args)).stdout;
  } catch (error) {
    const { stderr = '' } = error as { readonly stderr?: string };
    const why = stderr.trim() === '' ? String(error) : stderr.trim();
    throw new Failure({ code: 'WORKER_FAILED', message: `${basename(program)} failed: ${why}` });
  }
}
