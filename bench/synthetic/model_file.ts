/**
 * Writes models with random weights and real shapes. They run exactly as fast as trained ones of the same shape, they are made in
 * seconds where those would have to be downloaded, and the same name gives the same bytes.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeUnfinished } from '../../core/models/unfinished_files';
import { SeededRandom } from '../random';
import type { BenchModel, ModelShape, Quantization } from '../shapes';
import {
  aligned,
  ggufHeader,
  type Metadata,
  type TensorPlace,
  tensorBytes,
  TENSOR_TYPES,
} from './gguf_layout';
import { BlockPool, randomFloats } from './random_blocks';
import { type ControlTokens, makeVocabulary, type Vocabulary } from './vocabulary';

/** Counted up when the same shape or source gives other bytes than before: the files that lie there are then made again. */
const RECIPE = 1;

/** `general.file_type`. */
const FILE_TYPES: Readonly<Record<Quantization, number>> = {
  q4_0: 2,
  q4_1: 3,
  q5_0: 8,
  q8_0: 7,
  q3_k: 12,
  q4_k: 15,
  q5_k: 17,
  q6_k: 18,
  iq4_nl: 25,
  iq4_xs: 30,
};

/** What a matrix is stored as whose rows are no whole number of a type's blocks, as llama.cpp's quantiser chooses. */
const WITHOUT_SUPER_BLOCKS: Readonly<Partial<Record<Quantization, Quantization>>> = {
  q3_k: 'iq4_nl',
  q4_k: 'q5_0',
  q6_k: 'q8_0',
  iq4_xs: 'iq4_nl',
};

/** Keeps the residual stream from growing over the layers. */
const OUTPUT_GAIN = 0.3;
const EMBEDDING_RMS = 0.02;
const BIAS_RMS = 0.02;

interface Tensor extends TensorPlace {
  /** Root mean square of its elements; `one` for all ones, as norms begin. */
  readonly rms: number | 'one';
}

/** Where the file is that is called `name` and made of `parts`: what is made of others, or by another recipe, is another. */
export function madePath(folder: string, name: string, ...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256').update(String(RECIPE));
  for (const part of parts) hash.update(part);
  return join(folder, `${name}-${hash.digest('hex').slice(0, 12)}.gguf`);
}

/** Where the file of a model with random weights is. */
export function randomModelPath(folder: string, model: BenchModel): string {
  return madePath(folder, model.name, JSON.stringify([model, modelTensors(model)]));
}

/** Makes a file with `make` unless it is there. It appears under its name only when it is complete. */
export async function ensureFile(
  path: string,
  onStart: () => void,
  make: (unfinished: string) => void,
): Promise<void> {
  if (existsSync(path)) return;
  onStart();
  mkdirSync(dirname(path), { recursive: true });
  await removeUnfinished([dirname(path)]);
  const unfinished = `${path}.${process.pid}-1.new`;
  make(unfinished);
  renameSync(unfinished, path);
}

/** What a file holds that is not random. */
export interface GivenParts {
  /** As long as the shape says. */
  readonly vocabulary?: Vocabulary;
  /** In the place of random tensors of the same name, and behind them those that a random model does not have. */
  readonly tensors?: readonly GivenTensor[];
}

export interface GivenTensor extends TensorPlace {
  readonly data: Buffer;
}

export function writeModelFile(path: string, model: BenchModel, given: GivenParts = {}): void {
  const random = new SeededRandom(seedOf(model.name));
  const pools = new Map<string, BlockPool>();
  const others = new Map((given.tensors ?? []).map((tensor) => [tensor.name, tensor]));
  const tensors: (Tensor | GivenTensor)[] = [];
  for (const tensor of modelTensors(model)) {
    tensors.push(others.get(tensor.name) ?? tensor);
    others.delete(tensor.name);
  }
  tensors.push(...others.values());
  const vocabulary = given.vocabulary ?? makeVocabulary(model.shape.vocabulary, controlTokens(model.shape));
  writeTensors(path, modelMetadata(model, vocabulary), tensors, (tensor) =>
    'data' in tensor ? tensor.data : tensorData(tensor, random, pools),
  );
}

/** Writes a file with these tensors, whose contents are asked for one by one, in order. */
export function writeTensors<T extends TensorPlace>(
  path: string,
  metadata: Metadata,
  tensors: readonly T[],
  dataOf: (tensor: T) => Buffer,
): void {
  const file = openSync(path, 'w');
  try {
    writeAll(file, ggufHeader(metadata, tensors));
    for (const tensor of tensors) {
      const bytes = dataOf(tensor);
      writeAll(file, bytes);
      writeAll(file, Buffer.alloc(aligned(bytes.length) - bytes.length));
    }
  } finally {
    closeSync(file);
  }
}

/** A write may take less than it was given. */
function writeAll(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
}

function tensorData(tensor: Tensor, random: SeededRandom, pools: Map<string, BlockPool>): Buffer {
  const { type, rms } = tensor;
  const elements = tensor.extents.reduce((product, extent) => product * extent, 1);
  if (rms === 'one') return Buffer.from(new Float32Array(elements).fill(1).buffer);
  if (type === 'f32') return randomFloats(random, elements, rms);
  const key = `${type} ${rms}`;
  const pool = pools.get(key) ?? new BlockPool(random, type, rms);
  pools.set(key, pool);
  return pool.take(tensorBytes(tensor) / TENSOR_TYPES[type].bytes);
}

/** The same for the same text, whatever the machine (FNV-1a). */
function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** In the order of the file. */
export function modelTensors({ shape, weights, embedding, finer = weights }: BenchModel): readonly Tensor[] {
  const { width, hidden, vocabulary } = shape;
  const queries = shape.heads * shape.headSize;
  const keys = shape.kvHeads * shape.headSize;
  const norm = (name: string): Tensor => ({ name, type: 'f32', extents: [width], rms: 'one' });
  const bias = (name: string, length: number): Tensor => {
    return { name, type: 'f32', extents: [length], rms: BIAS_RMS };
  };
  // A row of n elements with this scale keeps the size of what it is multiplied with.
  const matrix = (name: string, columns: number, rows: number, gain = 1, wished = weights): Tensor => {
    return {
      name,
      type: storedAs(wished, columns),
      extents: [columns, rows],
      rms: gain / Math.sqrt(columns),
    };
  };
  const tensors: Tensor[] = [
    {
      name: 'token_embd.weight',
      type: storedAs(embedding, width),
      extents: [width, vocabulary],
      rms: EMBEDDING_RMS,
    },
    norm('output_norm.weight'),
  ];
  for (let layer = 0; layer < shape.layers; layer++) {
    const block = `blk.${layer}.`;
    const fine = isFiner(layer, shape.layers) ? finer : weights;
    tensors.push(
      norm(`${block}attn_norm.weight`),
      matrix(`${block}attn_q.weight`, width, queries),
      matrix(`${block}attn_k.weight`, width, keys),
      matrix(`${block}attn_v.weight`, width, keys, 1, fine),
      matrix(`${block}attn_output.weight`, queries, width, OUTPUT_GAIN),
      norm(`${block}ffn_norm.weight`),
      matrix(`${block}ffn_gate.weight`, width, hidden),
      matrix(`${block}ffn_up.weight`, width, hidden),
      matrix(`${block}ffn_down.weight`, hidden, width, OUTPUT_GAIN, fine),
    );
    if (shape.qkvBiases) {
      tensors.push(
        bias(`${block}attn_q.bias`, queries),
        bias(`${block}attn_k.bias`, keys),
        bias(`${block}attn_v.bias`, keys),
      );
    }
  }
  return tensors;
}

function storedAs(wished: Quantization, columns: number): Quantization {
  const whole = columns % TENSOR_TYPES[wished].elements === 0;
  return whole ? wished : (WITHOUT_SUPER_BLOCKS[wished] ?? wished);
}

/** Which layers have some matrices finer: the first and the last eighth, and every third between. */
function isFiner(layer: number, layers: number): boolean {
  const eighth = Math.floor(layers / 8);
  return layer < eighth || layer >= layers - eighth || (layer - eighth) % 3 === 2;
}

/** Ids of a shape's control tokens: in Qwen's vocabulary all from the begin token on, in SmolLM's a few at its front. */
function controlTokens({ beginToken, endToken, vocabulary, preTokenizer }: ModelShape): ControlTokens {
  const controls = new Map<number, string>();
  const ids =
    preTokenizer === 'qwen2'
      ? Array.from({ length: vocabulary - beginToken }, (_, index) => beginToken + index)
      : [0, beginToken, endToken];
  for (const id of ids) controls.set(id, `<|control_${id}|>`);
  controls.set(beginToken, '<|begin|>');
  controls.set(endToken, '<|end|>');
  return controls;
}

function modelMetadata({ name, shape, weights }: BenchModel, vocabulary: Vocabulary): Metadata {
  const own = shape.architecture;
  return {
    'general.architecture': { type: 'string', value: own },
    'general.name': { type: 'string', value: `${name} (random weights)` },
    'general.file_type': { type: 'uint32', value: FILE_TYPES[weights] },
    'general.quantization_version': { type: 'uint32', value: 2 },
    [`${own}.block_count`]: { type: 'uint32', value: shape.layers },
    [`${own}.context_length`]: { type: 'uint32', value: shape.contextLength },
    [`${own}.embedding_length`]: { type: 'uint32', value: shape.width },
    [`${own}.feed_forward_length`]: { type: 'uint32', value: shape.hidden },
    [`${own}.attention.head_count`]: { type: 'uint32', value: shape.heads },
    [`${own}.attention.head_count_kv`]: { type: 'uint32', value: shape.kvHeads },
    [`${own}.attention.layer_norm_rms_epsilon`]: { type: 'float32', value: shape.normEpsilon },
    [`${own}.rope.freq_base`]: { type: 'float32', value: shape.ropeBase },
    [`${own}.rope.dimension_count`]: { type: 'uint32', value: shape.headSize },
    [`${own}.vocab_size`]: { type: 'uint32', value: shape.vocabulary },
    'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'string', value: shape.preTokenizer },
    'tokenizer.ggml.tokens': { type: 'strings', value: vocabulary.tokens },
    'tokenizer.ggml.token_type': { type: 'int32s', value: vocabulary.types },
    'tokenizer.ggml.merges': { type: 'strings', value: vocabulary.merges },
    'tokenizer.ggml.bos_token_id': { type: 'uint32', value: shape.beginToken },
    'tokenizer.ggml.eos_token_id': { type: 'uint32', value: shape.endToken },
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
  };
}
