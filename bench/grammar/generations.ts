/**
 * Documents that the model writes under random schemas at temperature 1, each checked by an independent validator, and what the
 * grammar costs: tokens a second beside plain decode in the same run.
 */
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { Failure, valueOf } from '../../cli/failure';
import { type Engine } from '../../core/engine/engine';
import { GREEDY, type EngineRequest } from '../../core/engine/engine_request';
import type { NativeCompletion } from '../../core/engine/native_types';
import { SeededRandom } from '../random';
import { besideRow, ownRow, type Row } from '../report';
import { randomSchema, type Schema } from './random_schemas';

const SEED = 7;
const MOST_TOKENS = 512;
/** Of tokens; from here on a grammar is expected to make decode quicker. */
const MUCH_FORCED = 0.3;
/** The least ratio: 5 % more time than plain decode. */
const MOST_COST = 1 / 1.05;

export interface GenerationCounts {
  readonly generations: number;
  /** Ended by the grammar, and valid. */
  readonly valid: number;
  /** Cut by the limit of tokens. */
  readonly cut: number;
}

/** How long tokens behind the first, which comes with the prompt, took. */
interface Decoded {
  readonly tokens: number;
  readonly ms: number;
}

interface Run {
  readonly forcedShare: number;
  readonly constrained: Decoded;
  readonly plain: Decoded;
}

/** `count` documents over `schemas` schemas. Throws Failure, INVALID_DOCUMENT where one does not conform. */
export async function runGenerations(engine: Engine, schemas: number, count: number): Promise<Row[]> {
  const random = new SeededRandom(SEED);
  const runs: Run[] = [];
  const counts = { generations: 0, valid: 0, cut: 0 };
  for (let at = 0; at < schemas; at++) {
    const schema = randomSchema(random);
    const each = Math.floor(((at + 1) * count) / schemas) - Math.floor((at * count) / schemas);
    runs.push(...(await generationsOf(engine, schema, each, at, counts)));
    if ((at + 1) % 20 === 0) console.error(`grammar: ${counts.generations} documents, ${counts.cut} cut`);
  }
  return [...countRows(counts), ...speedRows(runs)];
}

async function generationsOf(
  engine: Engine,
  schema: Schema,
  count: number,
  index: number,
  counts: { generations: number; valid: number; cut: number },
): Promise<Run[]> {
  const text = JSON.stringify(schema);
  const grammar = valueOf(await engine.compileGrammar({ schema: text, layout: { kind: 'compact' } }));
  const validates = addFormats(new Ajv2020({ strict: false, allErrors: true })).compile(schema);
  const prompt = `The schema:\n${text}\nA document:\n`;
  const runs: Run[] = [];
  for (let round = 0; round < count; round++) {
    const call: EngineRequest = {
      prompt,
      maxTokens: MOST_TOKENS,
      singleLine: false,
      banBlankStart: false,
      sampling: { ...GREEDY, temperature: 1, seed: 1_000 * index + round },
    };
    const document = valueOf(await engine.complete({ ...call, grammar: { grammar, prefix: '' } }));
    counts.generations += 1;
    if (!document.grammarEnded) {
      counts.cut += 1;
      continue;
    }
    if (!validates(parsed(document.text, text))) {
      throw new Failure({
        code: 'INVALID_DOCUMENT',
        message: `${document.text} does not conform to ${text}.`,
      });
    }
    counts.valid += 1;
    const plain = valueOf(await engine.complete({ ...call, maxTokens: document.ids.length }));
    runs.push({
      forcedShare: document.drafting.accepted / document.ids.length,
      constrained: decoded(document),
      plain: decoded(plain),
    });
  }
  grammar.close();
  return runs;
}

function parsed(document: string, schema: string): unknown {
  try {
    return JSON.parse(document);
  } catch {
    throw new Failure({
      code: 'INVALID_DOCUMENT',
      message: `${document} is no JSON; the schema was ${schema}.`,
    });
  }
}

function decoded({ ids, timings }: NativeCompletion): Decoded {
  return { tokens: Math.max(ids.length - 1, 0), ms: timings.totalMs - timings.firstTokenMs };
}

function msAToken(parts: readonly Decoded[]): number {
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
  return parts.reduce((sum, part) => sum + part.ms, 0) / tokens;
}

function countRows({ generations, valid, cut }: GenerationCounts): Row[] {
  return [
    ownRow('grammar/generations', 'texts', generations),
    ownRow('grammar/generations-valid', '%', (100 * valid) / Math.max(generations - cut, 1), 100),
    ownRow('grammar/generations-cut', '%', (100 * cut) / generations, 5),
  ];
}

/** Over all tokens of the runs; a ratio above 1 says that constrained text was quicker than plain text. */
function speedRows(runs: readonly Run[]): Row[] {
  const row = (name: string, some: readonly Run[], floor: number): Row[] => {
    if (some.length === 0) return [];
    const ours = msAToken(some.map(({ constrained }) => constrained));
    const peer = msAToken(some.map(({ plain }) => plain));
    return [besideRow({ name, unit: 'ms/token', ours, peer }, 'lower', floor)];
  };
  const much = runs.filter(({ forcedShare }) => forcedShare >= MUCH_FORCED);
  const little = runs.filter(({ forcedShare }) => forcedShare < MUCH_FORCED);
  return [
    ...row('grammar/constrained-decode', runs, MOST_COST),
    ...row('grammar/constrained-decode-30-forced', much, 1),
    ...row('grammar/constrained-decode-few-forced', little, MOST_COST),
  ];
}
