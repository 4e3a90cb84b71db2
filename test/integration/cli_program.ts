/** Runs the terminal program as built. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './embedded_model';

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the bundle in `folder`, with `input` on standard input. */
export function runProgram(
  folder: string,
  args: readonly string[],
  input: string | Uint8Array = '',
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(ROOT, 'dist', 'cli.cjs'), ...args],
      { cwd: folder, maxBuffer: 2 ** 26 },
      (_, stdout, stderr) => resolve({ status: child.exitCode, stdout, stderr }),
    );
    // A program that ends without reading its input closes the pipe.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
