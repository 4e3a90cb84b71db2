/** Runs the programs that prepare a measurement: compilers, CMake, npm. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
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
