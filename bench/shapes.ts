/** The models that the speed suites measure: their shapes, and the tensor types of their files. */

/** What of a model's architecture decides how fast it runs. */
export interface ModelShape {
  readonly architecture: 'llama' | 'qwen2';
  readonly layers: number;
  /** Elements of the residual stream. */
  readonly width: number;
  /** Elements between the gate and the down matrix. */
  readonly hidden: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headSize: number;
  readonly vocabulary: number;
  readonly contextLength: number;
  readonly ropeBase: number;
  readonly normEpsilon: number;
  /** Query, key and value have biases. */
  readonly qkvBiases: boolean;
  /** The name GGUF files give their pre-tokenizer. */
  readonly preTokenizer: 'smollm' | 'qwen2';
  readonly beginToken: number;
  readonly endToken: number;
}

/** What models of Qwen2.5 have in common. */
const QWEN = {
  architecture: 'qwen2',
  vocabulary: 151_936,
  contextLength: 32_768,
  ropeBase: 1e6,
  normEpsilon: 1e-6,
  qkvBiases: true,
  preTokenizer: 'qwen2',
  beginToken: 151_643,
  endToken: 151_645,
} as const;

export const SHAPES = {
  'smollm2-135m': {
    architecture: 'llama',
    layers: 30,
    width: 576,
    hidden: 1_536,
    heads: 9,
    kvHeads: 3,
    headSize: 64,
    vocabulary: 49_152,
    contextLength: 8_192,
    ropeBase: 1e5,
    normEpsilon: 1e-5,
    qkvBiases: false,
    preTokenizer: 'smollm',
    beginToken: 1,
    endToken: 2,
  },
  'qwen-0.5b': {
    ...QWEN,
    layers: 24,
    width: 896,
    hidden: 4_864,
    heads: 14,
    kvHeads: 2,
    headSize: 64,
  },
  'qwen-1.5b': {
    ...QWEN,
    layers: 28,
    width: 1_536,
    hidden: 8_960,
    heads: 12,
    kvHeads: 2,
    headSize: 128,
  },
} as const satisfies Readonly<Record<string, ModelShape>>;

export type ShapeName = keyof typeof SHAPES;

/** Tensor types, by the name GGUF gives them in lower case. */
export type Quantization =
  | 'q4_0'
  | 'q4_1'
  | 'q5_0'
  | 'q8_0'
  | 'q3_k'
  | 'q4_k'
  | 'q5_k'
  | 'q6_k'
  | 'iq4_nl'
  | 'iq4_xs';

export interface BenchModel {
  /** For example `smollm2-135m-q4_1`: the part of a row's name after the slash. */
  readonly name: string;
  readonly shape: ModelShape;
  readonly weights: Quantization;
  /** Of the token embedding, which is the output matrix as well. llama.cpp keeps it at 8 bits in a Q4_0 file. */
  readonly embedding: Quantization;
  /** Of the value and down matrices of half the layers, where it is another; llama.cpp does so in files that it calls Q3_K_M and Q4_K_M. */
  readonly finer?: Quantization;
  /** The embedded model itself; the others have random weights. */
  readonly real: boolean;
}

function benchModel(
  shape: ShapeName,
  weights: Quantization,
  embedding: Quantization,
  real = false,
): BenchModel {
  return { name: `${shape}-${weights}`, shape: SHAPES[shape], weights, embedding, real };
}

export const BENCH_MODELS: readonly BenchModel[] = [
  benchModel('smollm2-135m', 'q4_1', 'q8_0', true),
  benchModel('smollm2-135m', 'q4_0', 'q8_0'),
  benchModel('smollm2-135m', 'q8_0', 'q8_0'),
  benchModel('qwen-0.5b', 'q4_0', 'q8_0'),
  benchModel('qwen-0.5b', 'q8_0', 'q8_0'),
  benchModel('qwen-1.5b', 'q4_0', 'q8_0'),
  ...(['qwen-0.5b', 'qwen-1.5b'] as const).flatMap((shape) => [
    { ...benchModel(shape, 'q4_k', 'q6_k'), name: `${shape}-q4_k_m`, finer: 'q6_k' as const },
    benchModel(shape, 'q6_k', 'q6_k'),
    benchModel(shape, 'iq4_xs', 'q6_k'),
  ]),
  { ...benchModel('qwen-1.5b', 'q3_k', 'q6_k'), name: 'qwen-1.5b-q3_k_m', finer: 'q5_k' },
];
