/** A model file that a row is measured with, and what one token of it costs. */
import { basename, resolve } from 'node:path';
import { ROOT } from '../cli/engine_options';
import { Failure, valueOf } from '../cli/failure';
import { addonPath, embeddedModelPath, loadAddon } from '../core/engine/binding';
import type { NativeInspection } from '../core/engine/native_inspection';
import { SYNTHETIC_MODELS } from './build_folder';
import { type CostShape, type ModelCost, modelCost } from './floors';
import type { BenchModel } from './shapes';
import { ensureFile, randomModelPath, writeModelFile } from './synthetic/model_file';

export interface ModelUnderTest {
  readonly path: string;
  readonly fileBytes: number;
  readonly cost: ModelCost;
}

/** Where the file of one of the bench's models is, or will be. */
export function benchModelPath(model: BenchModel): string {
  return model.real ? embeddedModelPath(ROOT) : randomModelPath(SYNTHETIC_MODELS, model);
}

/** One of the bench's models; writes its file where there is none. Throws Failure. */
export async function prepareBenchModel(model: BenchModel): Promise<ModelUnderTest> {
  const path = benchModelPath(model);
  if (!model.real) {
    const told = (): void => console.error(`${model.name}: writing a model with random weights`);
    await ensureFile(path, told, (unfinished) => writeModelFile(unfinished, model));
  }
  const inspection = await inspect(path);
  return { path, fileBytes: inspection.fileBytes, cost: modelCost(model.shape, weightBytes(inspection)) };
}

/** A file of the user's. Throws Failure for what is no model the engine runs. */
export async function prepareModelFile(file: string): Promise<ModelUnderTest> {
  const path = resolve(file);
  const inspection = await inspect(path);
  if (inspection.unsupported !== '') {
    throw new Failure({ code: 'MODEL_UNSUPPORTED', message: inspection.unsupported });
  }
  const cost = modelCost(costShapeOf(inspection), weightBytes(inspection));
  return { path, fileBytes: inspection.fileBytes, cost };
}

/** What rows of a user's file are called after their suite. */
export function nameOfFile(file: string): string {
  return basename(file, '.gguf').toLowerCase();
}

async function inspect(path: string): Promise<NativeInspection> {
  return valueOf(await valueOf(loadAddon(addonPath(ROOT))).inspect(path));
}

/** Of the tensors a token reads whole; the embedding of a model with an output matrix of its own is a table of rows. */
function weightBytes({ tensors }: NativeInspection): number {
  const untied = tensors.some(({ name }) => name === 'output.weight');
  return tensors
    .filter(({ name }) => !untied || name !== 'token_embd.weight')
    .reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Throws Failure where the metadata lack one of its numbers. */
export function costShapeOf({
  metadata,
  tensors,
}: Pick<NativeInspection, 'metadata' | 'tensors'>): CostShape {
  const values = new Map(metadata.map(({ key, value }) => [key, value]));
  // A text is shown in quotes.
  const architecture = (values.get('general.architecture') ?? '').replaceAll('"', '');
  const number = (key: string, otherwise?: number): number => {
    const value = Number(values.get(`${architecture}.${key}`) ?? otherwise);
    if (value > 0) return value;
    throw new Failure({ code: 'MODEL_METADATA_MISSING', message: `The model does not say its ${key}.` });
  };
  const width = number('embedding_length');
  const heads = number('attention.head_count');
  return {
    layers: number('block_count'),
    width,
    hidden: number('feed_forward_length'),
    heads,
    kvHeads: number('attention.head_count_kv', heads),
    headSize: number('attention.key_length', width / heads),
    vocabulary: tensors.find(({ name }) => name === 'token_embd.weight')?.shape[1] ?? 0,
  };
}
