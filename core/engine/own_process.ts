/** Asks a script one thing in a process of its own: one that breaks down, or never ends, takes nothing else with it. */
import { type ChildProcess, fork, type Serializable } from 'node:child_process';

export interface ProcessOptions {
  /** The bundled program. */
  readonly script: string;
  /** From the start of the process, ms. */
  readonly limitMs: number;
  /** Options for node; default: none. */
  readonly nodeOptions?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

export type ProcessOutcome =
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'late' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'not_started'; readonly reason: string }
  /** Before it had answered: with an exit status, or by a signal. */
  | { readonly kind: 'ended'; readonly code: number | null; readonly by: NodeJS.Signals | null };

/** Settles when the process has answered, died, or been ended: by `signal`, or since it took too long. Never rejects. */
export async function askProcess(order: Serializable, options: ProcessOptions): Promise<ProcessOutcome> {
  const { script, limitMs, nodeOptions = [], signal } = options;
  if (signal?.aborted === true) return { kind: 'cancelled' };
  let child: ChildProcess;
  try {
    child = fork(script, [], {
      // Within Electron, node is a mode of the editor's own program. Options for node are for the extension host.
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '' },
      execArgv: [...nodeOptions],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
  } catch (error) {
    return notStarted(error);
  }
  const outcome = await new Promise<ProcessOutcome>((resolve) => {
    const timer = setTimeout(() => resolve({ kind: 'late' }), limitMs);
    const cancel = (): void => resolve({ kind: 'cancelled' });
    signal?.addEventListener('abort', cancel, { once: true });
    child.once('message', (answer) => resolve({ kind: 'answered', answer }));
    child.once('error', (error) => resolve(notStarted(error)));
    child.once('exit', (code, by) => resolve({ kind: 'ended', code, by }));
    child.once('close', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    });
    child.send(order, (error) => {
      if (error !== null) resolve(notStarted(error));
    });
  });
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  return outcome;
}

function notStarted(error: unknown): ProcessOutcome {
  return { kind: 'not_started', reason: error instanceof Error ? error.message : 'no reason was given' };
}
