/** Which files are models, and what their names say. */

const SHARD = /-(\d{5})-of-(\d{5})(?=\.gguf$)/i;
/** Parts of other models: what reads images, the statistics of a quantiser, adapters. */
const NO_MODEL = /(?:^|[-_.])(?:mmproj|imatrix|lora|adapter)(?=[-_.])/i;

/** Whether a file is to be offered: a GGUF file of a whole model, of several shards the first. */
export function isModelName(name: string): boolean {
  if (!/\.gguf$/i.test(name) || NO_MODEL.test(name)) return false;
  const shard = SHARD.exec(name);
  return shard === null || Number(shard[1]) === 1;
}

/** How many files of about the same size a model has by the name of the first. */
export function shardsOf(name: string): number {
  return Number(SHARD.exec(name)?.[2] ?? 1);
}

/** What a model's file is called without its ending and shard. */
export function modelNameOf(fileName: string): string {
  return fileName.replace(SHARD, '').replace(/\.gguf$/i, '');
}
