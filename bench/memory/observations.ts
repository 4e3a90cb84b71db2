/** What the model and the document say of each token that an author wrote: what the weights of the memory are fitted to. */
import { join } from 'node:path';
import { ROOT } from '../../cli/engine_options';
import { valueOf } from '../../cli/failure';
import { promptIds } from '../../cli/prompt_ids';
import { snapshotOfText } from '../../core/completion/document';
import { languageOfPath } from '../../core/completion/languages';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { PromptWriter } from '../../core/completion/prompt_writer';
import type { Engine } from '../../core/engine/engine';
import type { CompletionCase } from '../completion_case';
import { numberTable, readNumberTable } from '../number_table';
import { longestMatch } from './longest_match';

/** As short as document_memory.h takes them, tokens. */
export const LEAST_MATCH = 3;

/** A token whose last tokens stood in the document before. */
export interface Observation {
  /** The place it belongs to, by number. */
  readonly place: number;
  /** Tokens of the longest match. */
  readonly length: number;
  /** How often the match stood there with something behind it. */
  readonly occurrences: number;
  /** Of these, the share of the token that came most often, 0 to 1. */
  readonly agreement: number;
  /** The model's largest probability. */
  readonly surest: number;
  /** The probability of the token that was written: by the model, and by the document. */
  readonly model: number;
  readonly memory: number;
}

/** What the weights in the code were fitted to. */
export const OWN_TABLE = join(ROOT, 'bench', 'memory', 'observations.csv');
const COLUMNS = ['place', 'length', 'occurrences', 'agreement', 'surest', 'model', 'memory'] as const;

export function tableOf(observations: readonly Observation[]): Uint8Array {
  return numberTable(
    COLUMNS,
    observations.map((one) => COLUMNS.map((column) => one[column])),
  );
}

/** Throws Failure for what {@link tableOf} does not write. */
export async function readObservations(path: string): Promise<Observation[]> {
  const rows = await readNumberTable(path, COLUMNS);
  return rows.map(
    ([place = 0, length = 0, occurrences = 0, agreement = 0, surest = 0, model = 0, memory = 0]) => ({
      place,
      length,
      occurrences,
      agreement,
      surest,
      model,
      memory,
    }),
  );
}

/** Of the tokens of a place, those with a match. Throws Failure. */
export async function observationsOf(
  engine: Engine,
  one: CompletionCase,
  place: number,
  promptTokens: number,
): Promise<Observation[]> {
  const document = snapshotOfText({
    uri: one.id,
    path: one.path,
    languageId: languageOfPath(one.path),
    text: one.prefix + one.suffix,
    offset: one.prefix.length,
  });
  const options = { ...DEFAULT_OPTIONS, promptTokens };
  const { request } = new PromptWriter(engine).write({ document, options });
  const encode = async (text: string): Promise<Uint32Array> => valueOf(await engine.tokenize(text, false));
  const texts = await Promise.all((request.references ?? []).map(encode));
  const sequence = await promptIds(engine, request.prompt);
  const healed = request.requiredPrefix?.length ?? 0;
  const written = await encode(`${request.requiredPrefix ?? ''}${one.expected}\n`);
  const observations: Observation[] = [];
  let spelled = 0;
  for (const token of written) {
    const { length, counts } = longestMatch(sequence, texts);
    spelled += valueOf(await engine.detokenize(Uint32Array.of(token))).length;
    if (length >= LEAST_MATCH && counts.size > 0 && spelled > healed) {
      observations.push({
        place,
        ...observe(length, counts, valueOf(await engine.logits(Uint32Array.from(sequence))), token),
      });
    }
    sequence.push(token);
  }
  return observations;
}

function observe(
  length: number,
  counts: ReadonlyMap<number, number>,
  logits: Float32Array,
  token: number,
): Omit<Observation, 'place'> {
  const most = Math.max(...counts.values());
  const occurrences = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const largest = logits.reduce((max, logit) => Math.max(max, logit), -Infinity);
  const total = logits.reduce((sum, logit) => sum + Math.exp(logit - largest), 0);
  return {
    length,
    occurrences,
    agreement: most / occurrences,
    surest: 1 / total,
    model: Math.exp((logits[token] ?? -Infinity) - largest) / total,
    memory: (counts.get(token) ?? 0) / occurrences,
  };
}
