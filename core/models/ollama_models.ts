/** Models of Ollama: its manifests are JSON files by registry, user, model and tag, whose layers are files named after their digests. */
import { stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { listOf, objectOf } from '../http/json_values';
import { filesUnder, type WalkBudget } from './bounded_walk';
import type { FoundModel } from './model_places';
import { readSmallJson } from './small_file';

/** The folders of manifests; the second is that of later versions. */
const MANIFESTS = ['manifests', 'manifests-v2'];
/** Registry, user, model; the tag is the file. */
const DEPTH = 3;
const MODEL_LAYER = 'application/vnd.ollama.image.model';
const DIGEST = /^sha256[:-]([0-9a-f]{64})$/i;
/** Names that go without saying. */
const USUAL_REGISTRIES = new Set(['registry.ollama.ai', 'ollama.com']);
const USUAL_USER = 'library';

/** Never rejects. */
export async function ollamaModels(folder: string, budget: WalkBudget): Promise<readonly FoundModel[]> {
  const found = new Map<string, FoundModel>();
  for (const name of MANIFESTS) {
    const manifests = join(folder, name);
    for (const manifest of await filesUnder(manifests, DEPTH, budget, () => true)) {
      const path = await modelFileOf(manifest.path, folder);
      const file = path === undefined ? undefined : await stat(path).catch(() => undefined);
      if (path === undefined || file?.isFile() !== true) continue;
      const model = nameOf(relative(manifests, manifest.path).split(sep));
      found.set(model, { name: model, path, source: 'ollama', bytes: file.size });
    }
  }
  return [...found.values()];
}

/** `qwen2.5-coder:1.5b`, with user and registry where they are not the usual ones. */
function nameOf(parts: readonly string[]): string {
  const tag = parts.at(-1) ?? '';
  const [registry = '', ...path] = parts.slice(0, -1);
  const shown = path[0] === USUAL_USER ? path.slice(1) : path;
  return `${[...(USUAL_REGISTRIES.has(registry) ? [] : [registry]), ...shown].join('/')}:${tag}`;
}

async function modelFileOf(manifest: string, folder: string): Promise<string | undefined> {
  const blob = (digest: unknown): string | undefined => {
    const hex = typeof digest === 'string' ? DIGEST.exec(digest)?.[1] : undefined;
    return hex === undefined ? undefined : join(folder, 'blobs', `sha256-${hex}`);
  };
  const root = await readSmallJson(manifest);
  // A list has a manifest for each way to run a model, or the digest of one.
  for (const one of [root, ...listOf(root['manifests']).map(objectOf)]) {
    const reference = one['layers'] === undefined ? blob(one['digest']) : undefined;
    const whole = reference === undefined ? one : await readSmallJson(reference);
    const layer = listOf(whole['layers'])
      .map(objectOf)
      .find(({ mediaType }) => mediaType === MODEL_LAYER);
    const path = blob(layer?.['digest']);
    if (path !== undefined) return path;
  }
  return undefined;
}
