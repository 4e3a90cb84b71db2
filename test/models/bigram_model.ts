/**
 * A small model that writes something known: the embedded model's vocabulary or a part of it, two random layers too weak to matter, and an
 * embedding and an output matrix that choose the next token by the last one alone.
 *
 * After whatever text it writes one of the lines of `LINE`, and ends it. After `ENDLESS` it goes through `NUMBERS` over and over,
 * and never ends a line. Behind a mark that asks for a middle it writes `FILLED`, and ends. Every token is ahead of the next likely one by `GAP`, far more than two devices differ in.
 */
import { type BenchModel, SHAPES } from '../../bench/shapes';
import { TENSOR_TYPES } from '../../bench/synthetic/gguf_layout';
import { type GivenTensor, writeModelFile } from '../../bench/synthetic/model_file';
import { halfBits } from '../../bench/synthetic/random_blocks';
import { inByteLetters, type Vocabulary } from '../../bench/synthetic/vocabulary';
import { FIM, type MarkNames, withMarks } from './fim_model';
import { smallerVocabulary } from './smaller_vocabulary';
import { vocabularyOf } from './vocabulary_of';
import { SeededRandom } from '../../bench/random';

/** Each word of a line: the likeliest, and the one that is `GAP` behind it. */
const LINE: readonly (readonly [string, string])[] = [
  ['a', 'the'],
  ['small', 'tiny'],
  ['model', 'toy'],
  ['writes', 'draws'],
  ['one', 'this'],
  ['line', 'row'],
];
const FILLED = ['what', 'stands', 'between'];
const NUMBERS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

/** What greedy decoding writes behind a space. */
export const GREEDY_LINE = LINE.map(([likeliest]) => likeliest).join(' ');
/** Everything a line can be. */
export const ANY_LINE = new RegExp(`^${LINE.map((choice) => `(${choice.join('|')})`).join(' ')}$`);
/** What it fills in. */
export const FILLED_LINE = FILLED.join(' ');
/** Behind this and a space no line ends. */
export const ENDLESS = 'count';
/** What it writes there, over and over. */
export const COUNTED = NUMBERS.join(' ');
/** Texts that are a token each. */
const WRITTEN = [
  ...[...LINE.flat(), ...FILLED, ...NUMBERS, ENDLESS].map((word) => ` ${word}`),
  ENDLESS,
  '\n',
];

/** Logit of the likeliest token; those that do not come next have none to speak of. */
const LIKELIEST = 20;
/** At temperature 0.2 the second choice is drawn about once in four times. */
const GAP = 0.2;
/** Of all other tokens, so that no two tie. */
const NOISE = 0.01;
/** The residual stream begins with this, to which a layer adds about a third. */
const EMBEDDING = 64;

const MODEL = {
  name: 'bigram-q8_0',
  shape: {
    ...SHAPES['smollm2-135m'],
    layers: 2,
    width: 128,
    hidden: 192,
    heads: 2,
    kvHeads: 1,
    contextLength: 2_048,
  },
  weights: 'q8_0',
  embedding: 'q8_0',
  real: false,
} satisfies BenchModel;
const { width } = MODEL.shape;

interface BigramOptions {
  /** How its vocabulary names the marks of a model that fills in the middle; default: it has none. */
  readonly marks?: MarkNames;
  /** Of the vocabulary only so many of the first tokens, and what the model writes: it loads in a fraction of the time. */
  readonly firstTokens?: number;
}

/**
 * Writes the model.
 * @param path Where to.
 * @param embeddedModel The file whose vocabulary it gets.
 * @returns how many tokens it has
 */
export async function writeBigramModel(
  path: string,
  embeddedModel: string,
  { marks = {}, firstTokens }: BigramOptions = {},
): Promise<number> {
  const whole = withMarks(await vocabularyOf(embeddedModel), marks);
  const vocabulary = firstTokens === undefined ? whole : smallerVocabulary(whole, firstTokens, WRITTEN);
  const tokens = vocabulary.tokens.length;
  const { stateAfter, scores } = bigrams(vocabulary);
  const embedding = new RowsOfQ8('token_embd.weight', tokens);
  const output = new RowsOfQ8('output.weight', tokens);
  const random = new SeededRandom(1);
  for (let token = 0; token < tokens; token++) {
    embedding.write(token, EMBEDDING, (element) => sign(stateAfter.get(token) ?? ANYTHING, element));
    const score = scores.get(token);
    if (score === undefined) output.write(token, NOISE, () => (random.below(2) === 0 ? 1 : -1));
    else {
      const { states, logit } = score;
      const sum = (element: number): number =>
        states.reduce((total, state) => total + sign(state, element), 0);
      output.write(token, logit / width, sum);
    }
  }
  const model = { ...MODEL, shape: { ...MODEL.shape, vocabulary: tokens } };
  writeModelFile(path, model, { vocabulary, tensors: [embedding.tensor, output.tensor] });
  return tokens;
}

/** What the last token was, as far as the next one depends on it: 0 to `width` - 1. */
type State = number;
const ANYTHING: State = 0;

/** Element of a state's code, the rows of a Hadamard matrix: `width` for a state with itself, 0 with any other. */
function sign(state: State, element: number): number {
  let odd = state & element;
  for (const shift of [4, 2, 1]) odd ^= odd >> shift;
  return (odd & 1) === 0 ? 1 : -1;
}

interface Score {
  /** After which states a token may come. */
  readonly states: State[];
  /** Its logit then. */
  readonly logit: number;
}

interface Bigrams {
  /** By token; `ANYTHING` for those that are not in it. */
  readonly stateAfter: ReadonlyMap<number, State>;
  readonly scores: ReadonlyMap<number, Score>;
}

function bigrams({ tokens }: Vocabulary): Bigrams {
  const ids = new Map(tokens.map((text, id) => [text, id]));
  const id = (text: string): number => {
    const found = ids.get(inByteLetters(text));
    if (found === undefined) throw new Error(`The vocabulary has no token ${JSON.stringify(text)}.`);
    return found;
  };
  const stateAfter = new Map<number, State>();
  const scores = new Map<number, Score>();
  let state = ANYTHING;
  for (const words of LINE) {
    for (const [choice, word] of words.entries()) {
      stateAfter.set(id(` ${word}`), state + 1);
      scores.set(id(` ${word}`), { states: [state], logit: LIKELIEST - choice * GAP });
    }
    state++;
  }
  scores.set(id('\n'), { states: [state], logit: LIKELIEST });
  stateAfter.set(FIM.middle, ++state);
  for (const word of FILLED) {
    scores.set(id(` ${word}`), { states: [state], logit: LIKELIEST });
    stateAfter.set(id(` ${word}`), ++state);
  }
  scores.set(MODEL.shape.endToken, { states: [state], logit: LIKELIEST });
  const counting = ++state;
  for (const text of [ENDLESS, ` ${ENDLESS}`]) stateAfter.set(id(text), counting);
  const last = counting + NUMBERS.length;
  for (const number of NUMBERS) {
    scores.set(id(` ${number}`), { states: state === counting ? [state, last] : [state], logit: LIKELIEST });
    stateAfter.set(id(` ${number}`), ++state);
  }
  return { stateAfter, scores };
}

/** A matrix of rows of `width` elements in Q8_0, whose elements are small integers times one scale a row. */
class RowsOfQ8 {
  readonly tensor: GivenTensor;

  constructor(name: string, rows: number) {
    const { elements, bytes } = TENSOR_TYPES.q8_0;
    const data = Buffer.alloc(((rows * width) / elements) * bytes);
    this.tensor = { name, type: 'q8_0', extents: [width, rows], data };
  }

  write(row: number, scale: number, integer: (element: number) => number): void {
    const { elements, bytes } = TENSOR_TYPES.q8_0;
    const { data } = this.tensor;
    const bits = halfBits(scale);
    for (let element = 0; element < width; element++) {
      const block = ((row * width + element - (element % elements)) / elements) * bytes;
      if (element % elements === 0) data.writeUInt16LE(bits, block);
      data.writeInt8(integer(element), block + 2 + (element % elements));
    }
  }
}
