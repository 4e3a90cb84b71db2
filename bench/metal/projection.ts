/**
 * What the Metal device should reach on chips that nobody has measured it on: the time to read a token's weights, and the time
 * that its commands take to begin. A projection, and labelled as one wherever it is shown.
 */
import { type CostShape, modelCost } from '../floors';
import { numbersTable, ownRow, type Row } from '../report';
import { SHAPES } from '../shapes';
import { TENSOR_TYPES } from '../synthetic/gguf_layout';

/** How much of a chip's bandwidth kernels that do little else come to. An assumption. */
const REACHED_BANDWIDTH = 0.8;
/** Of a command that waits for the one in front of it. An assumption. */
const LAUNCH_SECONDS = 2e-6;
/** Of a decode step: native/model/table_builder.cpp makes them, and `metal/…dispatches-per-…` counts them. */
const COMMANDS_PER_LAYER = 5;
const COMMANDS_PER_QWEN3_LAYER = 6;
const COMMANDS_PER_TOKEN = 3;

type MatrixType = 'q4_0' | 'q4_1' | 'q8_0';

export interface ProjectedModel {
  readonly title: string;
  /** The part of a row's name after the last slash. */
  readonly name: string;
  readonly shape: CostShape;
  readonly layers: MatrixType;
  /** Of the output matrix. */
  readonly output: MatrixType;
  /** Where they are not llama's. */
  readonly commandsPerLayer?: number;
}

export interface ProjectedChip {
  readonly title: string;
  readonly name: string;
  /** As in native/device/metal/chip.cpp, GB/s; a test compares them. */
  readonly bandwidth: number;
}

export const PROJECTED_CHIPS: readonly ProjectedChip[] = [
  { title: 'M1', name: 'm1', bandwidth: 68 },
  { title: 'M2 Pro', name: 'm2-pro', bandwidth: 200 },
  { title: 'M3 Max (40 cores)', name: 'm3-max-40', bandwidth: 400 },
  { title: 'M4 Pro', name: 'm4-pro', bandwidth: 273 },
];

/** Not among the bench's shapes. */
const QWEN3: CostShape = {
  layers: 28,
  width: 1_024,
  hidden: 3_072,
  heads: 16,
  kvHeads: 8,
  headSize: 128,
  vocabulary: 151_936,
};

export const PROJECTED_MODELS: readonly ProjectedModel[] = [
  {
    title: 'the embedded model, Q4_1',
    name: 'smollm2-135m-q4_1',
    shape: SHAPES['smollm2-135m'],
    layers: 'q4_1',
    output: 'q8_0',
  },
  {
    title: 'Qwen3-0.6B, Q4_0',
    name: 'qwen3-0.6b-q4_0',
    shape: QWEN3,
    layers: 'q4_0',
    output: 'q4_0',
    commandsPerLayer: COMMANDS_PER_QWEN3_LAYER,
  },
  {
    title: 'Qwen2.5-Coder-1.5B, Q4_0',
    name: 'qwen-1.5b-q4_0',
    shape: SHAPES['qwen-1.5b'],
    layers: 'q4_0',
    output: 'q4_0',
  },
];

/** Of the matrices; norms and biases are below a thousandth of it. */
export function bytesOfToken({ shape, layers, output }: ProjectedModel): number {
  const { layerOperations, outputOperations } = modelCost(shape, 0);
  // A multiplication and an addition for each weight.
  return (layerOperations / 2) * bytesOfWeight(layers) + (outputOperations / 2) * bytesOfWeight(output);
}

function commandsOfToken({ shape, commandsPerLayer }: ProjectedModel): number {
  return (commandsPerLayer ?? COMMANDS_PER_LAYER) * shape.layers + COMMANDS_PER_TOKEN;
}

/** At a short context, whose keys and values do not count yet. */
export function projectedTokensPerSecond(model: ProjectedModel, { bandwidth }: ProjectedChip): number {
  const reading = bytesOfToken(model) / (REACHED_BANDWIDTH * bandwidth * 1e9);
  return 1 / (reading + commandsOfToken(model) * LAUNCH_SECONDS);
}

export function projectionRows(): Row[] {
  return PROJECTED_MODELS.flatMap((model) => [
    ownRow(`metal/projected-bytes/${model.name}`, 'bytes', bytesOfToken(model)),
    ownRow(`metal/projected-commands/${model.name}`, 'commands', commandsOfToken(model)),
    ...PROJECTED_CHIPS.map((chip) =>
      ownRow(`metal/projected-${chip.name}/${model.name}`, 'tok/s', projectedTokensPerSecond(model, chip)),
    ),
  ]);
}

/** A line a model, a column a chip: the cells of the table in docs/metal.md. */
export function projectionTable(): readonly (readonly string[])[] {
  const head = ['model', 'bytes a token', 'commands', ...PROJECTED_CHIPS.map(({ title }) => title)];
  const lines = PROJECTED_MODELS.map((model) => [
    model.title,
    `${Math.round(bytesOfToken(model) / 1e6)} MB`,
    String(commandsOfToken(model)),
    ...PROJECTED_CHIPS.map((chip) => String(Math.round(projectedTokensPerSecond(model, chip)))),
  ]);
  return [head, ...lines];
}

/** As Markdown, with every column but the first aligned on the right. */
export function formatProjection(): string {
  const [head = [], ...lines] = projectionTable();
  return ['Tokens a second, projected and not measured:', '', ...numbersTable(head, lines)].join('\n');
}

function bytesOfWeight(type: MatrixType): number {
  const { bytes, elements } = TENSOR_TYPES[type];
  return bytes / elements;
}
