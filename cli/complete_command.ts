/** `complete`: the text an editor would show at a place, or at many. */
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { offsetAt, snapshotOfText, type TextSource } from '../core/completion/document';
import { languageOfPath } from '../core/completion/languages';
import { DEFAULT_OPTIONS } from '../core/completion/options';
import type { CompletionOutcome } from '../core/completion/outcome';
import { CompletionPipeline } from '../core/completion/pipeline';
import { REASONS } from '../core/completion/reasons';
import type { Snippet } from '../core/completion/snippets';
import type { Engine } from '../core/engine/engine';
import { readCases } from './case_file';
import { editsOf, piecesOf } from './case_snippets';
import { type EngineArguments, integer, withEngine, withEngineOptions } from './engine_options';
import { Failure } from './failure';
import { readText } from './files';
import { localSchemas } from './local_schemas';
import { printJson, printLine } from './output';
import { type SamplingArguments, samplingOf, withSamplingOptions } from './sampling_options';
import { timingsJson } from './timings_json';

interface CompleteArguments extends EngineArguments, SamplingArguments {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly cases?: string;
  readonly maxTokens: number;
  readonly promptTokens: number;
  readonly schemas: boolean;
  readonly json?: boolean;
}

const MAX_POSITION = 2 ** 31 - 1;
/** Fixed, so that a place gives the same text on every machine; about what an editor reads on a common one. */
const PROMPT_TOKENS = 700;

export function addCompleteCommand(program: Command): void {
  const command: Command = program
    .command('complete')
    .description('print the text an editor would show at a place')
    .option('--file <file>', 'the file to complete in')
    .option('--line <n>', 'its line, from 1', integer(1, MAX_POSITION))
    .option('--column <n>', 'its column, from 1; UTF-16 units, a tab is one', integer(1, MAX_POSITION))
    .option('--cases <file>', 'many places: one {id, path, prefix, suffix, snippets?, edits?} a line')
    .option('--max-tokens <n>', 'most tokens to generate', integer(1, 256), DEFAULT_OPTIONS.maxTokens)
    .option(
      '--prompt-tokens <n>',
      'tokens of text around the cursor to read; 0: as many as an editor finds this machine reads in time',
      integer(0, 4_096),
      PROMPT_TOKENS,
    )
    .option('--no-schemas', 'complete JSON without the schema of the file')
    .option('--json', 'everything there is to know, as JSON');
  withEngineOptions(withSamplingOptions(command)).action(async (options: CompleteArguments) => {
    const { file, line, column, cases, json } = options;
    if (cases !== undefined) {
      if (file !== undefined || line !== undefined || column !== undefined) {
        command.error("error: option '--cases' stands alone: leave out '--file', '--line' and '--column'");
      }
      if (json !== true) command.error("error: option '--cases' needs '--json'");
      await completeCases(cases, options);
      return;
    }
    if (file === undefined || line === undefined || column === undefined) {
      command.error("error: options '--file', '--line' and '--column' are needed, or '--cases'");
    }
    await completeInFile(file, line, column, options);
  });
}

async function completeInFile(
  file: string,
  line: number,
  column: number,
  options: CompleteArguments,
): Promise<void> {
  const text = await readText(file);
  const offset = offsetAt(text, line, column);
  if (offset === undefined) {
    const message = `${file} has no line ${line} with a column ${column}; give a place in the file.`;
    throw new Failure({ code: 'INVALID_ARGUMENT', message });
  }
  const path = pathForModel(file);
  await withEngine(options, async (engine) => {
    const uri = pathToFileURL(file).href;
    const fullPath = resolve(file).split(sep).join('/');
    const source = { uri, path, fullPath, languageId: languageOfPath(path), text, offset };
    const outcome = await completeAt(pipelineOf(engine, options), source);
    if (options.json === true) {
      printJson(jsonOf(outcome));
    } else if (outcome.shown) {
      printLine(outcome.text);
    } else {
      process.stderr.write(`${REASONS[outcome.reason]}\n`);
    }
  });
}

async function completeCases(file: string, options: CompleteArguments): Promise<void> {
  const cases = await readCases(file);
  await withEngine(options, async (engine) => {
    const pipeline = pipelineOf(engine, options);
    for (const [index, one] of cases.entries()) {
      const { id, path, prefix, suffix } = one;
      // No two cases share a document, or the pipeline would answer from what it remembers of it.
      const uri = `case:${index}`;
      const source = {
        uri,
        path,
        languageId: languageOfPath(path),
        text: prefix + suffix,
        offset: prefix.length,
      };
      const outcome = await completeAt(pipeline, source, [...piecesOf(one), ...editsOf(one)]);
      pipeline.forget(uri);
      printJson({ id, ...jsonOf(outcome), confidence: outcome.confidence });
    }
  });
}

function pipelineOf(engine: Engine, options: CompleteArguments): CompletionPipeline {
  const { maxTokens, promptTokens, schemas } = options;
  const sampling = samplingOf(options);
  // What a case brings beside its file is there to be read.
  const chosen = {
    ...DEFAULT_OPTIONS,
    maxTokens,
    promptTokens,
    sampling,
    similarCode: 'always' as const,
    recentEdits: true,
  };
  const followed = schemas ? localSchemas(engine) : undefined;
  return new CompletionPipeline(engine, () => chosen, undefined, followed);
}

async function completeAt(
  pipeline: CompletionPipeline,
  source: TextSource,
  snippets: readonly Snippet[] = [],
): Promise<CompletionOutcome> {
  const { signal } = new AbortController();
  const document = snapshotOfText(source);
  const outcome = await pipeline.complete({
    document,
    signal,
    snippets: () => snippets,
    evenIfRefused: true,
  });
  if (outcome.error !== undefined) throw new Failure(outcome.error);
  return outcome;
}

/** All of the text, and whether an editor shows it; where it is not sure of all, the `part` that it shows. */
function jsonOf(outcome: CompletionOutcome): object {
  const { uncut, ids, stop, timings, schema } = outcome;
  const { text, shown, reason } = uncut === undefined ? outcome : { ...uncut, ...NOT_SURE };
  return {
    text,
    tokens: [...ids],
    stop,
    shown,
    reason,
    ...(uncut === undefined ? {} : { part: outcome.text }),
    ...(schema === undefined ? {} : { schema: schema.use }),
    timings: timingsJson(timings),
  };
}

const NOT_SURE = { shown: false, reason: 'low_confidence' } as const;

/** As an editor with the current folder open would name the file. */
function pathForModel(file: string): string {
  const path = relative(process.cwd(), resolve(file));
  const outside = isAbsolute(path) || path.split(sep)[0] === '..';
  return outside ? basename(file) : path.split(sep).join('/');
}
