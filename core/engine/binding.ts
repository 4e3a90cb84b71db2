/** Finds and loads the addon; the only file that does. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { NativeAddon } from './native_types';
import type { NativeResult } from './native_result';

/** Where the addon lies under the root of the package, and of the repository. */
export function addonPath(root: string): string {
  return join(root, 'dist', 'native', 'emberline.node');
}

/** The compiled Metal kernels that were built with the addon; undefined where there are none, as everywhere but on macOS. */
export function kernelLibraryBeside(addon: string): string | undefined {
  const path = join(dirname(addon), 'emberline.metallib');
  return existsSync(path) ? path : undefined;
}

/** The model that the package holds; models/SHA256SUMS names it, too. */
const EMBEDDED_MODEL = 'Emberline-135M.Q4_1.gguf';

/** Where the embedded model lies under the root of the package, and of the repository. */
export function embeddedModelPath(root: string): string {
  return join(root, 'models', EMBEDDED_MODEL);
}

/** Loads the addon at the absolute path `path`. Never throws: what went wrong is ADDON_NOT_LOADED with the reason. */
export function loadAddon(path: string): NativeResult<NativeAddon> {
  if (!existsSync(path)) return failure(`${path} does not exist`);
  let loaded: unknown;
  try {
    // Made at run time, so that a bundler leaves it alone.
    loaded = createRequire(path)(path);
  } catch (error) {
    return failure(error instanceof Error ? firstLine(error.message) : 'it threw an exception');
  }
  return isAddon(loaded) ? { ok: true, value: loaded } : failure(`${path} is not Emberline's addon`);
}

function failure(reason: string): NativeResult<NativeAddon> {
  const platform = `${process.platform}-${process.arch}`;
  const message = `The engine could not be loaded (${reason}); install the Emberline package for ${platform}.`;
  return { ok: false, error: { code: 'ADDON_NOT_LOADED', message } };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.trim() ?? '';
}

function isAddon(value: unknown): value is NativeAddon {
  if (typeof value !== 'object' || value === null) return false;
  const members: Record<string, unknown> = { ...value };
  return typeof members['loadModel'] === 'function' && typeof members['inspect'] === 'function';
}
