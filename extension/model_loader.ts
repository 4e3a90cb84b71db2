/** Loads the addon and the model that the settings name. */
import { join } from 'node:path';
import type { EngineSettings } from './settings';
import { addonPath, embeddedModelPath, loadAddon } from '../core/engine/binding';
import { findDraft } from '../core/engine/draft_search';
import { Engine } from '../core/engine/engine';
import type { NativeAddon, NativeModelOptions } from '../core/engine/native_types';
import type { CheckModel, LoadModel } from './context';

/**
 * @param root The folder the extension is installed in.
 * @param storage The folder that VS Code gives the extension for data of its own.
 */
export function modelLoader(root: string, storage: string): LoadModel {
  return async (settings: EngineSettings) => {
    const addon = loadAddon(addonPath(root));
    if (!addon.ok) return addon;
    const { path, ...options } = await modelOptions(addon.value, root, settings, 0);
    return Engine.load({
      addonPath: addonPath(root),
      modelPath: path,
      packedFolder: join(storage, 'packed'),
      ...options,
    });
  };
}

/** @param root As of modelLoader. */
export function modelCheck(root: string): CheckModel {
  return async (settings: EngineSettings, freed) => {
    // There is nothing that could take the place of the model that the package holds.
    if (settings.modelPath === '' && settings.draftPath === '') return { ok: true, value: undefined };
    const addon = loadAddon(addonPath(root));
    if (!addon.ok) return addon;
    const options = await modelOptions(addon.value, root, settings, freed);
    return addon.value.checkModel({ ...options, freed });
  };
}

/** With the draft model that is named, or else found. */
async function modelOptions(
  addon: NativeAddon,
  root: string,
  { modelPath, draftPath, context, kvCache, threads, device, findsDraft }: EngineSettings,
  freed: number,
): Promise<NativeModelOptions> {
  const path = modelPath === '' ? embeddedModelPath(root) : modelPath;
  const options = { path, context, kvCache, threads, device };
  if (draftPath !== '') return { ...options, draftPath };
  if (!findsDraft || modelPath === '') return options;
  const found = await findDraft(addon, { ...options, freed });
  // Whoever named none is not to go without the model, nor without its GPU, for its sake.
  return found === undefined ? options : { ...options, draftPath: found, draftOptional: true };
}
