/** Signals that follow others for as long as something runs, and leave nothing behind on them: one signal serves many requests. */

/** What `promise` gives; undefined where `signal` is aborted before that. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  let stop = (): void => undefined;
  const aborted = new Promise<undefined>((resolve) => (stop = () => resolve(undefined)));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Aborted with any of other signals, and by itself. */
export class LinkedAbort {
  private readonly controller = new AbortController();
  private readonly outer: readonly AbortSignal[];

  constructor(...outer: readonly AbortSignal[]) {
    this.outer = outer;
    if (outer.some(({ aborted }) => aborted)) this.controller.abort();
    else for (const signal of outer) signal.addEventListener('abort', this.abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  readonly abort = (): void => {
    this.controller.abort();
    this.release();
  };

  /** Follows the others no longer. */
  release(): void {
    for (const signal of this.outer) signal.removeEventListener('abort', this.abort);
  }
}
