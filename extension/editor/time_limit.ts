/** Others' answers are waited for so long and no longer. */

/** What a promise settles to; undefined where it takes longer than `ms`, or fails. */
export async function within<T>(ms: number, promise: Thenable<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)));
  try {
    return await Promise.race([promise, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
