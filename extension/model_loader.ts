/** Loads the addon and the model that the settings name. */
import { join } from 'node:path';
import type { EngineSettings } from './settings';
import { addonPath, embeddedModelPath, loadAddon } from '../core/engine/binding';
import { Engine } from '../core/engine/engine';
import type { CheckModel, LoadModel } from './context';

/**
 * @param root The folder the extension is installed in.
 * @param storage The folder that VS Code gives the extension for data of its own.
 */
export function modelLoader(root: string, storage: string): LoadModel {
  return ({ modelPath, draftPath, threads, device }: EngineSettings) =>
    Engine.load({
      addonPath: addonPath(root),
      modelPath: modelPath === '' ? embeddedModelPath(root) : modelPath,
      threads,
      device,
      packedFolder: join(storage, 'packed'),
      ...(draftPath === '' ? {} : { draftPath }),
    });
}

/** @param root As of modelLoader. */
export function modelCheck(root: string): CheckModel {
  return async ({ modelPath, draftPath }: EngineSettings) => {
    const addon = loadAddon(addonPath(root));
    if (!addon.ok) return addon;
    for (const path of [modelPath, draftPath]) {
      if (path === '') continue;
      const inspection = await addon.value.inspect(path);
      if (!inspection.ok) return inspection;
      const { unsupported, unsupportedCode } = inspection.value;
      if (unsupported !== '') return { ok: false, error: { code: unsupportedCode, message: unsupported } };
    }
    return { ok: true, value: undefined };
  };
}
