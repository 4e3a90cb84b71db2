/**
 * A model in Hugging Face's layout that writes something known, for any engine that reads such folders: llama with 256 bytes as its vocabulary, layers of
 * zeros, and an embedding and an output matrix that choose the next byte by the last one alone. Behind whatever it has not learnt it begins `WRITTEN`, and
 * goes on from any byte of it; behind the line break it ends.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { byteLetters } from '../../bench/synthetic/vocabulary';

/** No byte comes twice: each has one that follows. */
export const WRITTEN = 'let bin=a+f;\n';
export const MODEL_LENGTH = 512;

const END = 256;
const VOCABULARY = 257;
const WIDTH = 64;
const HIDDEN = 64;
/** Logit of the byte that follows, which has nearly all the probability; the others have 0. */
const LIKELIEST = 12;

/** Throws where the folder cannot be written. */
export function writeLettersFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, value: unknown): void =>
    writeFileSync(join(folder, name), JSON.stringify(value));
  write('config.json', CONFIG);
  write('tokenizer.json', tokenizer());
  write('tokenizer_config.json', {
    tokenizer_class: 'PreTrainedTokenizerFast',
    eos_token: '<|end|>',
    add_bos_token: false,
    model_max_length: MODEL_LENGTH,
  });
  writeFileSync(join(folder, 'model.safetensors'), safetensors(weights()));
}

const CONFIG = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  hidden_size: WIDTH,
  intermediate_size: HIDDEN,
  num_hidden_layers: 1,
  num_attention_heads: 1,
  num_key_value_heads: 1,
  head_dim: WIDTH,
  vocab_size: VOCABULARY,
  max_position_embeddings: MODEL_LENGTH,
  rms_norm_eps: 1e-5,
  rope_theta: 10_000,
  hidden_act: 'silu',
  tie_word_embeddings: false,
  torch_dtype: 'float32',
  bos_token_id: null,
  eos_token_id: END,
};

function tokenizer(): unknown {
  const vocab = Object.fromEntries(byteLetters().map((letter, id) => [letter, id]));
  const end = { id: END, content: '<|end|>', special: true, normalized: false, single_word: false };
  return {
    version: '1.0',
    added_tokens: [{ ...end, lstrip: false, rstrip: false }],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', vocab, merges: [] },
  };
}

interface Matrix {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

function weights(): ReadonlyMap<string, Matrix> {
  const embedding = new Float32Array(VOCABULARY * WIDTH);
  const output = new Float32Array(VOCABULARY * WIDTH);
  const written = Buffer.from(WRITTEN);
  // Axis 0: its first byte follows; axis n: the n-th does.
  const axes = new Map<number, number>([...written].map((byte, at) => [byte, at + 1]));
  for (let token = 0; token < VOCABULARY; token++) embedding[token * WIDTH + (axes.get(token) ?? 0)] = 1;
  // What the norm makes of a single one.
  const scale = LIKELIEST / Math.sqrt(WIDTH);
  for (const [at, byte] of [...written, END].entries()) output[byte * WIDTH + at] = scale;
  const zeros = (...shape: number[]): Matrix => ({
    shape,
    values: new Float32Array(shape.reduce((all, one) => all * one, 1)),
  });
  const ones: Matrix = { shape: [WIDTH], values: new Float32Array(WIDTH).fill(1) };
  const layer = 'model.layers.0';
  return new Map<string, Matrix>([
    ['model.embed_tokens.weight', { shape: [VOCABULARY, WIDTH], values: embedding }],
    ['lm_head.weight', { shape: [VOCABULARY, WIDTH], values: output }],
    ['model.norm.weight', ones],
    [`${layer}.input_layernorm.weight`, ones],
    [`${layer}.post_attention_layernorm.weight`, ones],
    ...['q', 'k', 'v', 'o'].map((one): [string, Matrix] => [
      `${layer}.self_attn.${one}_proj.weight`,
      zeros(WIDTH, WIDTH),
    ]),
    [`${layer}.mlp.gate_proj.weight`, zeros(HIDDEN, WIDTH)],
    [`${layer}.mlp.up_proj.weight`, zeros(HIDDEN, WIDTH)],
    [`${layer}.mlp.down_proj.weight`, zeros(WIDTH, HIDDEN)],
  ]);
}

/** The format of safetensors: the header's length, the header in JSON, the data. */
function safetensors(tensors: ReadonlyMap<string, Matrix>): Buffer {
  let end = 0;
  const entries = [...tensors].map(([name, { shape, values }]) => {
    const begin = end;
    end += values.byteLength;
    return [name, { dtype: 'F32', shape, data_offsets: [begin, end] }] as const;
  });
  const header = JSON.stringify({ __metadata__: { format: 'pt' }, ...Object.fromEntries(entries) });
  const padded = Buffer.from(header.padEnd(Math.ceil(header.length / 8) * 8));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  const data = [...tensors.values()].map(({ values }) => Buffer.from(values.buffer));
  return Buffer.concat([length, padded, ...data]);
}
