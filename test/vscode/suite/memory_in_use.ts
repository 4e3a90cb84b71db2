import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Of the extension host, once the garbage is collected. */
export function memoryInUse(): NodeJS.MemoryUsage {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage();
}
