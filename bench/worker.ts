/** A process that is asked for one measurement at a time, and does nothing in between. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../cli/failure';
import { type Answer, parseAnswer } from './line_protocol';

export interface WorkerCommand {
  /** For messages, such as `llama.cpp in Node`. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly folder?: string;
  /** Added to this process's environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** How long a worker may take to end by itself once its input has. */
const GRACE_MS = 3_000;
/** Threads that spin for a while after their work are given this long to settle before another worker is asked. */
const SETTLE_MS = 50;

const running = new Set<ChildProcess>();

/** The last resort for whatever end this process comes to. */
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export class Worker {
  readonly name: string;
  private readonly child: ChildProcess;
  private waiting: { resolve: (line: string) => void; reject: (error: Error) => void } | undefined;
  private ended: Failure | undefined;
  private complaint = '';

  private constructor({ name, program, args, folder, environment }: WorkerCommand) {
    this.name = name;
    this.child = spawn(program, args, {
      ...(folder === undefined ? {} : { cwd: folder }),
      env: { ...process.env, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    running.add(this.child);
    const { stdin, stdout, stderr } = this.child;
    // What goes wrong with the pipe shows as the end of the process.
    stdin?.on('error', () => undefined);
    stderr?.on(
      'data',
      (chunk: Buffer) => (this.complaint = `${this.complaint}${chunk.toString()}`.slice(-2_000)),
    );
    if (stdout !== null) createInterface({ input: stdout }).on('line', (line) => this.receive(line));
    this.child.once('error', (error) => this.end(`cannot be started: ${error.message}`));
    this.child.once('close', () => this.end(`ended${this.lastComplaint()}`));
  }

  /** Starts the process and waits until it says that it is ready. Throws Failure when it does not get so far. */
  static async start(command: WorkerCommand): Promise<Worker> {
    const worker = new Worker(command);
    try {
      parseAnswer(await worker.nextLine(), command.name);
    } catch (error) {
      await worker.stop();
      throw error;
    }
    return worker;
  }

  /** The answer to one request; the one before must have been answered. Throws Failure. */
  async ask(request: string): Promise<Answer> {
    const line = this.nextLine();
    this.child.stdin?.write(`${request}\n`);
    const answer = parseAnswer(await line, this.name);
    await delay(SETTLE_MS);
    return answer;
  }

  /** Ends the process; settles when it has ended. */
  async stop(): Promise<void> {
    if (this.ended !== undefined) return;
    const gone = new Promise<void>((resolve) => this.child.once('close', () => resolve()));
    this.child.stdin?.end();
    const insist = setTimeout(() => this.child.kill('SIGKILL'), GRACE_MS);
    await gone;
    clearTimeout(insist);
  }

  private nextLine(): Promise<string> {
    if (this.ended !== undefined) return Promise.reject(this.ended);
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
    });
  }

  private receive(line: string): void {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.resolve(line);
  }

  private end(how: string): void {
    running.delete(this.child);
    this.ended ??= new Failure({ code: 'WORKER_FAILED', message: `${this.name} ${how}.` });
    this.waiting?.reject(this.ended);
    this.waiting = undefined;
  }

  private lastComplaint(): string {
    const lines = this.complaint.trim().split('\n');
    const last = lines.at(-1)?.trim() ?? '';
    return last === '' ? ' before it answered' : ` (${last})`;
  }
}

/** Runs `work` with workers that are stopped after it, however it ends. */
export async function withWorkers<T>(
  work: (start: (command: WorkerCommand) => Promise<Worker>) => Promise<T>,
): Promise<T> {
  const started: Worker[] = [];
  try {
    return await work(async (command) => {
      const worker = await Worker.start(command);
      started.push(worker);
      return worker;
    });
  } finally {
    await Promise.all(started.map((worker) => worker.stop()));
  }
}
