/**
 * A large model and small ones that draft for it, where no such pair can be had: all say what the embedded model says, so that
 * what is measured is real text, at a cost and an acceptance that are chosen.
 *
 * The large one is the embedded model with layers behind its own that add nothing: the matrices that lead back to the residual
 * stream are zero, all others random, and every weight is read and multiplied as in any model. Its logits are those of the
 * embedded model, bit for bit. A small one is the embedded model with noise on its weights: the more, the less often it agrees.
 */
import { SeededRandom } from '../random';
import { type Metadata, TENSOR_TYPES, type TensorPlace, tensorBytes } from './gguf_layout';
import { readGguf, type StoredTensor } from './gguf_reader';
import { ensureFile, writeTensors } from './model_file';
import { BlockPool, halfBits, halfValue } from './random_blocks';

const LAYER_COUNT_KEY = 'llama.block_count';
/** The type number of `block_count`. */
const UINT32 = 4;
/** What leads back to the residual stream. */
const OUTPUTS = ['attn_output.weight', 'ffn_down.weight'];
const SEED = 1;

/**
 * The model at `source` with as many more layers as make a token read `weightBytes` bytes of weights at least.
 * @param source A llama file with Q4_1 matrices, as the embedded one. Throws Error for others.
 */
export function ensureDeepModel(
  path: string,
  source: string,
  weightBytes: number,
  onStart: () => void,
): Promise<void> {
  return ensureFile(path, onStart, (unfinished) => {
    const { metadata, tensors } = readGguf(source);
    const own = tensors.reduce((sum, tensor) => sum + tensorBytes(tensor), 0);
    const template = tensors.filter(({ name }) => name.startsWith('blk.0.'));
    const layerBytes = template.reduce((sum, tensor) => sum + tensorBytes(tensor), 0);
    const layers = layerCount(metadata);
    const added = Math.max(0, Math.ceil((weightBytes - own) / layerBytes));
    const filler = new LayerFiller();
    const deep: TensorPlace[] = [...tensors];
    for (let layer = layers; layer < layers + added; layer++) {
      for (const { name, type, extents } of template) {
        deep.push({ name: name.replace('blk.0.', `blk.${layer}.`), type, extents });
      }
    }
    const stored = new Map(tensors.map((tensor) => [tensor.name, tensor.data]));
    const data = (tensor: TensorPlace): Buffer => stored.get(tensor.name) ?? filler.data(tensor);
    writeTensors(unfinished, withLayers(metadata, layers + added), deep, data);
  });
}

/**
 * The model at `source` with every block of its layers' Q4_1 matrices scaled by 1 + `noise` times a number of variance one.
 * 0 is the model itself. The file has the same types and sizes, and so costs the same. Of drafts of four
 * tokens behind pieces of code, 0, 0.05, 0.1, 0.15 and 0.2 had about 100, 75, 60, 45 and 35 in a hundred tokens kept.
 */
export function ensureNoisyModel(
  path: string,
  source: string,
  noise: number,
  onStart: () => void,
): Promise<void> {
  return ensureFile(path, onStart, (unfinished) => {
    const { metadata, tensors } = readGguf(source);
    const random = new SeededRandom(SEED);
    const noisy = new Map(tensors.map((tensor) => [tensor.name, withNoise(tensor, noise, random)]));
    writeTensors(unfinished, metadata, tensors, ({ name }) => noisy.get(name) ?? Buffer.alloc(0));
  });
}

function layerCount(metadata: Metadata): number {
  const value = metadata[LAYER_COUNT_KEY];
  if (value?.type !== 'copied') throw new Error(`the model does not say its ${LAYER_COUNT_KEY}`);
  return value.value.readUInt32LE();
}

function withLayers(metadata: Metadata, layers: number): Metadata {
  const value = Buffer.alloc(Uint32Array.BYTES_PER_ELEMENT);
  value.writeUInt32LE(layers);
  return { ...metadata, [LAYER_COUNT_KEY]: { type: 'copied', valueType: UINT32, value } };
}

/** The contents of added layers. */
class LayerFiller {
  private readonly random = new SeededRandom(SEED);
  private readonly pools = new Map<number, BlockPool>();

  data(tensor: TensorPlace): Buffer {
    const { name, type, extents } = tensor;
    const bytes = tensorBytes(tensor);
    if (type === 'f32') return Buffer.from(new Float32Array(bytes / 4).fill(1).buffer);
    if (OUTPUTS.some((output) => name.endsWith(output))) return Buffer.alloc(bytes);
    if (type !== 'q4_1') throw new Error(`${name} is not of type Q4_1`);
    const columns = extents[0] ?? 1;
    const pool = this.pools.get(columns) ?? new BlockPool(this.random, type, 1 / Math.sqrt(columns));
    this.pools.set(columns, pool);
    return pool.take(bytes / TENSOR_TYPES[type].bytes);
  }
}

function withNoise(tensor: StoredTensor, noise: number, random: SeededRandom): Buffer {
  if (tensor.type !== 'q4_1' || !tensor.name.startsWith('blk.')) return tensor.data;
  const data = Buffer.from(tensor.data);
  const { bytes } = TENSOR_TYPES.q4_1;
  for (let block = 0; block < data.length; block += bytes) {
    // Uniform numbers do: what counts is their sum over a row.
    const factor = 1 + noise * Math.sqrt(3) * (2 * random.next() - 1);
    // The scale of a block and its offset.
    for (const at of [block, block + 2]) {
      data.writeUInt16LE(halfBits(halfValue(data.readUInt16LE(at)) * factor), at);
    }
  }
  return data;
}
