/** Loads the engine that a suite measures. */
import { join } from 'node:path';
import { addonPath, embeddedModelPath } from '../extension/engine/binding';
import { Engine } from '../extension/engine/engine';
import type { NativeError } from '../extension/engine/native_types';

/** The repository: the bundle lies in its `dist`. */
export const ROOT = join(__dirname, '..');

export interface EngineChoice {
  /** A GGUF file; the embedded model when left out. */
  readonly model?: string;
  /** 0 lets the engine choose. */
  readonly threads: number;
  readonly device: 'auto' | 'cpu' | 'metal';
}

/** What ends a run early; its message is one sentence that begins with the engine's code where there is one. */
export class BenchFailure extends Error {
  static of({ code, message }: NativeError): BenchFailure {
    return new BenchFailure(`${code}: ${message}`);
  }
}

/** Runs `measure` with a loaded engine and frees it afterwards. Throws BenchFailure when it cannot be loaded. */
export async function withEngine(
  choice: EngineChoice,
  measure: (engine: Engine) => Promise<void>,
): Promise<void> {
  const loaded = await Engine.load({
    addonPath: addonPath(ROOT),
    modelPath: choice.model ?? embeddedModelPath(ROOT),
    threads: choice.threads,
    device: choice.device,
  });
  if (!loaded.ok) throw BenchFailure.of(loaded.error);
  try {
    await measure(loaded.value);
  } finally {
    await loaded.value.dispose();
  }
}
