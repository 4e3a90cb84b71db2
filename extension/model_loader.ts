/** Loads the addon and the model that the settings name. */
import { join } from 'node:path';
import type { EngineSettings } from './settings';
import { addonPath, embeddedModelPath, loadAddon } from '../core/engine/binding';
import { Engine, type EngineOptions } from '../core/engine/engine';
import type { NativeAddon, NativeModelOptions } from '../core/engine/native_types';
import type { NativeResult } from '../core/engine/native_result';
import { findDraft } from '../core/models/draft_search';
import type { LoadedResult } from './engine_lifecycle';

export type LoadModel = (options: EngineSettings) => Promise<LoadedResult>;
/** Whether the model would run in the place of one that takes `freed` bytes, without loading it here. */
export type CheckModel = (
  options: EngineSettings,
  freed: number,
  signal?: AbortSignal,
) => Promise<NativeResult<unknown>>;

/**
 * @param root The folder the extension is installed in.
 * @param storage The folder that VS Code gives the extension for data of its own.
 */
export function modelLoader(root: string, storage: string): LoadModel {
  return async (settings) => {
    const options = await engineOptions(root, storage, settings);
    return options.ok ? Engine.load(options.value) : options;
  };
}

/** @param root As of modelLoader. */
export function modelCheck(root: string): CheckModel {
  return async (settings, freed) => {
    // There is nothing that could take the place of the model that the package holds.
    if (isEmbedded(settings)) return { ok: true, value: undefined };
    const addon = loadAddon(addonPath(root));
    if (!addon.ok) return addon;
    const options = await modelOptions(addon.value, root, settings, freed);
    return addon.value.checkModel({ ...options, freed });
  };
}

/** Whether it is the model that comes with the package, alone. */
export function isEmbedded({ modelPath, draftPath }: EngineSettings): boolean {
  return modelPath === '' && draftPath === '';
}

/** As `Engine.load` takes them, in this process or in another; @param root and storage as of modelLoader. */
export async function engineOptions(
  root: string,
  storage: string,
  settings: EngineSettings,
): Promise<NativeResult<EngineOptions>> {
  const addon = loadAddon(addonPath(root));
  if (!addon.ok) return addon;
  const { path, ...options } = await modelOptions(addon.value, root, settings, 0);
  return {
    ok: true,
    value: {
      addonPath: addonPath(root),
      modelPath: path,
      packedFolder: join(storage, 'packed'),
      ...options,
    },
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
