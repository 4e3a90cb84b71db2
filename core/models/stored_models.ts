/** What was downloaded: files under one folder of the extension's own, one a model of the catalogue, and parts of what is not whole yet. */
import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CATALOGUE, type CatalogueModel } from './catalogue';
import { notesOf, partOf, removePart } from './download/part_files';
import { readSmallJson } from './small_file';

export interface StoredModel {
  readonly model: CatalogueModel;
  readonly path: string;
  /** On the disk. */
  readonly bytes: number;
  /** Of the whole file, if it is not whole yet. */
  readonly of: number | undefined;
}

/** Where a model's file is, or will be. */
export function storedPath(folder: string, { repository, file }: CatalogueModel): string {
  return join(folder, repository.replaceAll('/', '--'), file.replaceAll('/', '--'));
}

/** Those that are there, or in part. Never rejects. */
export async function storedModels(folder: string, catalogue = CATALOGUE): Promise<readonly StoredModel[]> {
  const found: StoredModel[] = [];
  for (const model of catalogue) {
    const path = storedPath(folder, model);
    const whole = await bytesOf(path);
    if (whole !== undefined) found.push({ model, path, bytes: whole, of: undefined });
    const part = whole === undefined ? await bytesOf(partOf(path)) : undefined;
    if (part === undefined) continue;
    const { bytes } = await readSmallJson(notesOf(path));
    found.push({ model, path, bytes: part, of: typeof bytes === 'number' ? bytes : part });
  }
  return found;
}

/** Removes a model or its part. Rejects where the system does not let it. */
export async function removeStored({ path }: Pick<StoredModel, 'path'>): Promise<void> {
  await rm(path, { force: true });
  await removePart(path);
  await rmdir(dirname(path)).catch(() => undefined);
}

/** Bytes of all files of a folder and below; packed copies of weights, for instance. Never rejects. */
export async function bytesUnder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    if (entry.isFile()) bytes += (await bytesOf(join(entry.parentPath, entry.name))) ?? 0;
  }
  return bytes;
}

async function bytesOf(path: string): Promise<number | undefined> {
  const file = await stat(path).catch(() => undefined);
  return file?.isFile() === true ? file.size : undefined;
}
