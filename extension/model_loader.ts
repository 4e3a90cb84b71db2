/** Loads the addon and the model that the settings name. */
import { join } from 'node:path';
import type { EngineSettings } from './settings';
import { addonPath, embeddedModelPath } from '../core/engine/binding';
import { Engine } from '../core/engine/engine';
import type { LoadModel } from './context';

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
