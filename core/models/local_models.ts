/** Models that are on this machine already: found by name, none of them opened. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { filesUnder, WalkBudget, type WalkedFile } from './bounded_walk';
import { isModelName, modelNameOf, shardsOf } from './model_names';
import {
  type FoundModel,
  lmStudioHome,
  type Machine,
  type ModelPlace,
  modelPlaces,
  type ModelSource,
} from './model_places';
import { ollamaModels } from './ollama_models';
import { readSmallFile, readSmallJson } from './small_file';

/** Entries of folders that one search looks at: some thousand models, or a second. */
const MOST_ENTRIES = 20_000;
/** More would be no choice. */
const MOST_MODELS = 200;
/** Publisher, repository, and one more. */
const DEPTH = 3;
/** `models--ORG--NAME/snapshots/REVISION` and folders in it. */
const HUB_DEPTH = 5;

/**
 * Searches all places. Each file is named once, however many links lead to it. Never rejects.
 * @param own The folder that Emberline downloads to.
 */
export async function findLocalModels(machine: Machine, own?: string): Promise<readonly FoundModel[]> {
  const budget = new WalkBudget(MOST_ENTRIES);
  const places: readonly ModelPlace[] = [
    ...(own === undefined ? [] : [{ source: 'emberline', folder: own } as const]),
    ...(await movedLmStudio(machine)),
    ...modelPlaces(machine),
  ];
  const models: FoundModel[] = [];
  const seen = new Set<string>();
  for (const place of places) {
    for (const model of await modelsIn(place, budget)) {
      const target = await realpath(model.path).catch(() => undefined);
      if (target === undefined || seen.has(target) || models.length >= MOST_MODELS) continue;
      seen.add(target);
      models.push(model);
    }
  }
  return models;
}

async function modelsIn({ source, folder }: ModelPlace, budget: WalkBudget): Promise<readonly FoundModel[]> {
  if (source === 'ollama') return ollamaModels(folder, budget);
  if (source === 'hugging_face') return hubModels(folder, budget);
  const files = await filesUnder(folder, DEPTH, budget, isModelName);
  return files.map((file) => fromFile(file, source));
}

function fromFile({ path, name, bytes }: WalkedFile, source: ModelSource): FoundModel {
  return { name: modelNameOf(name), path, source, bytes: bytes * shardsOf(name) };
}

/** In a repository's snapshot, the GGUF files, and the whole as a folder where it has SafeTensors. */
async function hubModels(folder: string, budget: WalkBudget): Promise<readonly FoundModel[]> {
  const files = await filesUnder(
    folder,
    HUB_DEPTH,
    budget,
    (name) => isModelName(name) || name === 'config.json' || name.endsWith('.safetensors'),
  );
  const models: FoundModel[] = [];
  for (const file of files) {
    // Blobs are reached by the names that snapshots give them.
    if (!file.path.includes('snapshots')) continue;
    if (isModelName(file.name)) models.push(fromFile(file, 'hugging_face'));
    if (file.name !== 'config.json') continue;
    const snapshot = dirname(file.path);
    const weights = files.filter(
      ({ path, name }) => dirname(path) === snapshot && name.endsWith('.safetensors'),
    );
    if (weights.length === 0) continue;
    const bytes = weights.reduce((sum, weight) => sum + weight.bytes, 0);
    models.push({ name: repositoryOf(snapshot), path: snapshot, source: 'hugging_face', bytes });
  }
  return models;
}

/** `org/name` of `…/models--org--name/snapshots/REVISION`. */
function repositoryOf(snapshot: string): string {
  const name = basename(dirname(dirname(snapshot)));
  return name.replace(/^models--/, '').replace('--', '/');
}

/** Where LM Studio says that its folder is, and its models are, if somebody moved them. */
async function movedLmStudio(machine: Machine): Promise<readonly ModelPlace[]> {
  const { pointer, folder } = lmStudioHome(machine);
  const moved = (await readSmallFile(pointer)).trim();
  const { downloadsFolder } = await readSmallJson(join(moved === '' ? folder : moved, 'settings.json'));
  const folders = [
    ...(typeof downloadsFolder === 'string' ? [downloadsFolder] : []),
    ...(moved === '' ? [] : [join(moved, 'models')]),
  ];
  return folders.map((one) => ({ source: 'lm_studio', folder: one }));
}
