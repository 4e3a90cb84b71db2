/** What the model and the document say of each token that an author wrote: what the weights of the memory are fitted to. */
import { join } from 'node:path';
import { ROOT } from '../../cli/engine_options';
import { valueOf } from '../../cli/failure';
import { promptIds } from '../prompt_ids';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { PromptWriter } from '../../core/completion/prompt_writer';
import type { Engine } from '../../core/engine/engine';
import { type CompletionCase, documentOf } from '../completion_case';
import { numberTable, readNumberTable } from '../number_table';
import { longestMatch } from './longest_match';

/** As short as document_memory.h takes them, tokens. */
export const LEAST_MATCH = 3;

/** What texts say of a token; all zero where its last tokens did not stand in them before. */
export interface Said {
  /** Tokens of the longest match. */
  readonly length: number;
  /** How often the match stood there with something behind it. */
  readonly occurrences: number;
  /** Of these, the share of the token that came most often, 0 to 1. */
  readonly agreement: number;
  /** The probability of the token that was written. */
  readonly memory: number;
}

/** A token whose last tokens stood before, in the document or in other files. */
export interface Observation {
  /** The place it belongs to, by number. */
  readonly place: number;
  /** The model's largest probability. */
  readonly surest: number;
  /** The probability of the token that was written, by the model. */
  readonly model: number;
  readonly document: Said;
  readonly others: Said;
}

/** What the weights in the code were fitted to. */
export const OWN_TABLE = join(ROOT, 'bench', 'memory', 'observations.csv');
const SAID = ['length', 'occurrences', 'agreement', 'memory'] as const;
const COLUMNS = [
  'place',
  'surest',
  'model',
  ...SAID.map((name) => `document_${name}`),
  ...SAID.map((name) => `others_${name}`),
];

export function tableOf(observations: readonly Observation[]): Uint8Array {
  return numberTable(
    COLUMNS,
    observations.map(({ place, surest, model, document, others }) => [
      place,
      surest,
      model,
      ...SAID.map((name) => document[name]),
      ...SAID.map((name) => others[name]),
    ]),
  );
}

/** Throws Failure for what {@link tableOf} does not write. */
export async function readObservations(path: string): Promise<Observation[]> {
  const rows = await readNumberTable(path, COLUMNS);
  return rows.map(([place = 0, surest = 0, model = 0, ...said]) => ({
    place,
    surest,
    model,
    document: saidIn(said.slice(0, SAID.length)),
    others: saidIn(said.slice(SAID.length)),
  }));
}

function saidIn([length = 0, occurrences = 0, agreement = 0, memory = 0]: readonly number[]): Said {
  return { length, occurrences, agreement, memory };
}

/**
 * Of the tokens of a place, those with a match.
 * @param beside Texts of other files.
 * Throws Failure.
 */
export async function observationsOf(
  engine: Engine,
  one: CompletionCase,
  place: number,
  promptTokens: number,
  beside: readonly string[],
): Promise<Observation[]> {
  const document = documentOf(one);
  const options = { ...DEFAULT_OPTIONS, promptTokens };
  const { request } = new PromptWriter(engine).write({ document, options });
  const encode = async (text: string): Promise<Uint32Array> => valueOf(await engine.tokenize(text, false));
  const own = await Promise.all((request.references ?? []).map(encode));
  const others = await Promise.all(beside.map(encode));
  const sequence = await promptIds(engine, request.prompt);
  const healed = request.requiredPrefix?.length ?? 0;
  const written = await encode(`${request.requiredPrefix ?? ''}${one.expected}\n`);
  const observations: Observation[] = [];
  let spelled = 0;
  for (const token of written) {
    spelled += valueOf(await engine.detokenize(Uint32Array.of(token))).length;
    const said = { document: saidOf(sequence, own, token), others: saidOf(sequence, others, token) };
    if (spelled > healed && (said.document.length > 0 || said.others.length > 0)) {
      const logits = valueOf(await engine.logits(Uint32Array.from(sequence)));
      observations.push({ place, ...modelSays(logits, token), ...said });
    }
    sequence.push(token);
  }
  return observations;
}

const NOTHING: Said = { length: 0, occurrences: 0, agreement: 0, memory: 0 };

function saidOf(sequence: readonly number[], texts: readonly Uint32Array[], token: number): Said {
  const { length, counts } = longestMatch(sequence, texts);
  if (length < LEAST_MATCH || counts.size === 0) return NOTHING;
  const most = Math.max(...counts.values());
  const occurrences = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    length,
    occurrences,
    agreement: most / occurrences,
    memory: (counts.get(token) ?? 0) / occurrences,
  };
}

function modelSays(logits: Float32Array, token: number): Pick<Observation, 'surest' | 'model'> {
  const largest = logits.reduce((max, logit) => Math.max(max, logit), -Infinity);
  const total = logits.reduce((sum, logit) => sum + Math.exp(logit - largest), 0);
  return { surest: 1 / total, model: Math.exp((logits[token] ?? -Infinity) - largest) / total };
}
