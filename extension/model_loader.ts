/** Loads the addon and the model that the settings name. */
import type { EngineOptions } from './config';
import { addonPath, embeddedModelPath } from './engine/binding';
import { Engine } from './engine/engine';
import type { LoadModel } from './context';

/** @param root The folder the extension is installed in. */
export function modelLoader(root: string): LoadModel {
  return ({ modelPath, threads }: EngineOptions) =>
    Engine.load({
      addonPath: addonPath(root),
      modelPath: modelPath === '' ? embeddedModelPath(root) : modelPath,
      threads,
    });
}
