/**
 * A stand-in for a model that fills in the middle: the embedded model with the keys of one. It was not taught what the marks mean, but
 * it ends a text: its end token looks to it like a line break alone, and comes where that would.
 */
import type { Metadata } from '../../bench/synthetic/gguf_layout';
import { readGguf } from '../../bench/synthetic/gguf_reader';
import { writeTensors } from '../../bench/synthetic/model_file';
import type { Vocabulary } from '../../bench/synthetic/vocabulary';
import { vocabularyOf } from './vocabulary_of';

/** The marks, by their ids. */
export const FIM = { repository: 3, separator: 5, suffix: 8, prefix: 9, end: 10, middle: 11 } as const;
export const LAYOUT = 'suffix_prefix_contiguous';

/** The embedded model's token of a line break alone. */
const LINE_BREAK = 198;

const KEYS: Metadata = {
  'emberline.fim.layout': { type: 'string', value: LAYOUT },
  'tokenizer.ggml.fim_sep_token_id': { type: 'uint32', value: FIM.separator },
  'tokenizer.ggml.fim_suf_token_id': { type: 'uint32', value: FIM.suffix },
  'tokenizer.ggml.fim_pre_token_id': { type: 'uint32', value: FIM.prefix },
  'tokenizer.ggml.fim_mid_token_id': { type: 'uint32', value: FIM.middle },
  'tokenizer.ggml.eot_token_id': { type: 'uint32', value: FIM.end },
};

/**
 * Writes the file.
 * @param source The embedded model.
 * @param keys In the place of some of the keys, for files that are like it.
 */
export function writeFimModel(path: string, source: string, keys: Metadata = {}): void {
  const { metadata, tensors } = readGguf(source);
  writeTensors(path, { ...metadata, ...KEYS, ...keys }, tensors, ({ name, data, extents: [, rows = 1] }) => {
    if (name !== 'token_embd.weight') return data;
    const bytes = Buffer.from(data);
    const row = bytes.length / rows;
    // The matrix is the output's as well: of two tokens that are as likely the lower id is taken.
    bytes.copy(bytes, FIM.end * row, LINE_BREAK * row, (LINE_BREAK + 1) * row);
    return bytes;
  });
}

/** What a family calls its marks; those it has. */
export type MarkNames = Partial<Record<'prefix' | 'suffix' | 'middle' | 'separator' | 'repository', string>>;

/** The vocabulary with the marks in the place of reserved tokens. */
export function withMarks(vocabulary: Vocabulary, marks: MarkNames): Vocabulary {
  const tokens = [...vocabulary.tokens];
  for (const [mark, name] of Object.entries(marks)) tokens[FIM[mark as keyof MarkNames]] = name;
  return { ...vocabulary, tokens };
}

/**
 * Writes a file of a family that says nothing about filling in the middle but by the names of its tokens.
 * @param source The embedded model.
 * @param preTokenizer The family's, by GGUF's name.
 */
export async function writeFamilyModel(
  path: string,
  source: string,
  preTokenizer: string,
  marks: MarkNames,
): Promise<void> {
  const { metadata, tensors } = readGguf(source);
  const { tokens } = withMarks(await vocabularyOf(source), marks);
  const rest = Object.entries(metadata).filter(([key]) => !key.includes('fim'));
  const changed: Metadata = {
    ...Object.fromEntries(rest),
    'tokenizer.ggml.tokens': { type: 'strings', value: tokens },
    'tokenizer.ggml.pre': { type: 'string', value: preTokenizer },
  };
  writeTensors(path, changed, tensors, ({ data }) => data);
}
