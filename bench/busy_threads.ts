/** What else wants the cores while something is measured, as a build does that runs in a terminal. */
import { Worker } from 'node:worker_threads';

/** Calls `work` while `count` threads of the usual priority never rest. */
export async function besideBusyThreads<T>(count: number, work: () => Promise<T>): Promise<T> {
  const busy = Array.from({ length: count }, () => new Worker('for (;;);', { eval: true }));
  try {
    return await work();
  } finally {
    await Promise.all(busy.map((thread) => thread.terminate()));
  }
}
