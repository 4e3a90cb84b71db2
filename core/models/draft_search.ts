/**
 * A draft model that nobody named: a small one of the same family, beside a large one. By the names of files, as publishers write them; whether it fits, in
 * tokenizer and in memory, is the addon's to say.
 */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { NativeAddon, NativeModelOptions } from '../engine/native_types';
import { isModelName, modelNameOf, shardsOf } from './model_names';

/** Smaller models are quick enough alone, bytes. */
const LEAST_MODEL_BYTES = 1_000_000_000;
/** A draft model that is not so many times smaller takes longer than it saves. */
const LEAST_RATIO = 4;
/** So many are tried, the smallest first. */
const MOST_TRIED = 4;
/** Folders beside the model's that are looked into. */
const MOST_FOLDERS = 64;

const QUANTIZATION = /[-_.](?:ud-)?(?:i?q\d(?:_[0-9a-z]+)*|b?f16|fp16|f32|mxfp4)(?=$|[-_.])/g;
/** `7b`, `0.5b`, `270m`, and `a3b` of a mixture of experts. */
const SIZE = /[-_.]a?\d+(?:\.\d+)?[bm](?=$|[-_.])/g;

interface ModelFile {
  readonly path: string;
  readonly bytes: number;
}

/** The name of a GGUF file without what differs between sizes and quantisations of one model; undefined of other files. */
export function familyOf(fileName: string): string | undefined {
  if (!/\.gguf$/i.test(fileName)) return undefined;
  return modelNameOf(fileName).toLowerCase().replace(QUANTIZATION, '').replace(SIZE, '');
}

/** Paths of files that may draft for the model at `modelPath`, in its folder and in those beside it, the smallest first. Never rejects. */
export async function draftCandidates(modelPath: string): Promise<readonly string[]> {
  const family = familyOf(basename(modelPath));
  const model = family === undefined ? undefined : await modelFile(modelPath);
  if (model === undefined || model.bytes < LEAST_MODEL_BYTES) return [];
  const own = dirname(modelPath);
  const files: ModelFile[] = [];
  for (const folder of [own, ...(await foldersBeside(own))]) {
    for (const name of await readdir(folder).catch(() => [])) {
      if (familyOf(name) !== family) continue;
      const file = await modelFile(join(folder, name));
      if (file !== undefined && file.bytes * LEAST_RATIO <= model.bytes) files.push(file);
    }
  }
  files.sort((one, other) => one.bytes - other.bytes);
  return files.slice(0, MOST_TRIED).map(({ path }) => path);
}

/** The first of them that the model can be loaded with; undefined: none. Never rejects. */
export async function findDraft(
  addon: Pick<NativeAddon, 'checkModel'>,
  options: NativeModelOptions & { readonly freed?: number },
): Promise<string | undefined> {
  for (const draftPath of await draftCandidates(options.path)) {
    if ((await addon.checkModel({ ...options, draftPath })).ok) return draftPath;
  }
  return undefined;
}

/** Later shards are no files of their own; the first stands for all, which are about as large. */
async function modelFile(path: string): Promise<ModelFile | undefined> {
  const name = basename(path);
  if (!isModelName(name)) return undefined;
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) return undefined;
  return { path, bytes: found.size * shardsOf(name) };
}

/** Where each model has a folder of its own, as LM Studio has it, the others are one level up. */
async function foldersBeside(folder: string): Promise<readonly string[]> {
  const parent = dirname(folder);
  if (parent === folder) return [];
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
  const family = (name: string): string | undefined => familyOf(`${name.replace(/-gguf$/i, '')}.gguf`);
  const own = family(basename(folder));
  return entries
    .filter((entry) => entry.isDirectory() && entry.name !== basename(folder) && family(entry.name) === own)
    .slice(0, MOST_FOLDERS)
    .map((entry) => join(parent, entry.name));
}
