/** What the model writes where a block begins, on and on: the text in which deciders look for its end. */
import { existsSync } from 'node:fs';
import Ajv from 'ajv';
import { Failure } from '../../cli/failure';
import { readJsonLines, writeBytes } from '../../cli/files';
import { ask } from '../../core/completion/asking';
import type { GenerationEngine } from '../../core/completion/engine_port';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { PromptWriter } from '../../core/completion/prompt_writer';
import { DEFAULT_SAMPLING } from '../../core/completion/sampling';
import { type CompletionCase, documentOf } from '../completion_case';
import { jsonLines } from '../json_lines';

export interface Stream {
  /** The case's. */
  readonly id: string;
  readonly text: string;
  /** Whether the model ended it; else it was cut within a line. */
  readonly ended: boolean;
}

/** Enough for the longest block that is cut, and for what a model writes behind it. */
const MAX_TOKENS = 160;
const PROGRESS_STEP = 50;

const isStream = new Ajv().compile<Stream>({
  type: 'object',
  required: ['id', 'text', 'ended'],
  properties: { id: { type: 'string' }, text: { type: 'string' }, ended: { type: 'boolean' } },
});

/**
 * One for each case, made greedily; those that `file` has are read from it, and all are written to it. Throws Failure.
 * @param promptTokens Tokens of prompt.
 */
export async function streamsOf(
  engine: GenerationEngine,
  cases: readonly CompletionCase[],
  promptTokens: number,
  file?: string,
): Promise<Stream[]> {
  const known = new Map(file === undefined ? [] : (await readStreams(file)).map((one) => [one.id, one]));
  const streams: Stream[] = [];
  for (const [index, one] of cases.entries()) {
    streams.push(known.get(one.id) ?? (await streamAt(engine, one, promptTokens)));
    if ((index + 1) % PROGRESS_STEP === 0) console.error(`${index + 1} of ${cases.length} places`);
  }
  if (file !== undefined) await writeBytes(file, jsonLines(streams));
  return streams;
}

async function streamAt(
  engine: GenerationEngine,
  one: CompletionCase,
  promptTokens: number,
): Promise<Stream> {
  const sampling = { ...DEFAULT_SAMPLING, temperature: 0 };
  const options = { ...DEFAULT_OPTIONS, promptTokens, sampling, maxTokens: MAX_TOKENS };
  const { signal } = new AbortController();
  let text = '';
  const place = { document: documentOf(one), options };
  const answer = await ask(new PromptWriter(engine), place, (request) =>
    engine.generate(request, signal, (piece) => {
      text += piece;
    }),
  );
  if (!answer.ok) throw new Failure(answer.error);
  return { id: one.id, text, ended: answer.value.stop === 'end_token' };
}

/** None where there is no file. Throws Failure for what this does not write. */
export async function readStreams(file: string): Promise<Stream[]> {
  if (!existsSync(file)) return [];
  return readJsonLines(file, isStream, () => 'is no text of a model; give a file that --streams wrote');
}
