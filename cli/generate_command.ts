/** `generate`: continues a text, as far as the model goes on or the limit allows. */
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { samplingFor } from '../core/completion/sampling';
import type { NativeCompletion } from '../core/engine/native_types';
import { type EngineArguments, integer, withEngine, withEngineOptions } from './engine_options';
import { valueOf } from './failure';
import { readText } from './files';
import {
  type GrammarArguments,
  grammarSource,
  type LayoutName,
  withGrammarOptions,
  withLayoutOption,
} from './grammar_options';
import { printJson, printLine, printText } from './output';
import { type SamplingArguments, samplingOf, withSamplingOptions } from './sampling_options';
import { timingsJson } from './timings_json';

interface GenerateArguments extends EngineArguments, SamplingArguments, GrammarArguments {
  readonly promptFile: string;
  readonly maxTokens: number;
  readonly draft?: string;
  readonly lookup?: boolean;
  readonly special?: boolean;
  readonly ids?: boolean;
  readonly layout: LayoutName;
  readonly json?: boolean;
}

/** The engine's own limit; the context ends it long before. */
const MOST_TOKENS = 2 ** 24;
const DEFAULT_TOKENS = 256;
const STANDARD_INPUT = '-';
/** As much as the model has: memory is used as it fills. */
const WHOLE_CONTEXT = Infinity;

export function addGenerateCommand(program: Command): void {
  const command = program
    .command('generate')
    .description('print how the model continues a text')
    .requiredOption('--prompt-file <file>', 'the text to continue; -: standard input')
    .option('--max-tokens <n>', 'most tokens to generate', integer(1, MOST_TOKENS), DEFAULT_TOKENS)
    .option('--draft <file>', 'a smaller GGUF model with the same tokenizer that drafts')
    .option('--lookup', 'look drafts up in the text so far')
    .option('--special', 'read control tokens that are written out in the prompt, such as <|im_end|>')
    .option('--ids', 'print the ids of the tokens instead of the text')
    .option('--json', 'everything there is to know, as JSON');
  withGrammarOptions(command);
  withLayoutOption(command);
  withEngineOptions(withSamplingOptions(command)).action(generate);
}

async function generate(options: GenerateArguments): Promise<void> {
  const {
    promptFile,
    maxTokens,
    draft,
    lookup = false,
    special = false,
    ids = false,
    json = false,
  } = options;
  const prompt = promptFile === STANDARD_INPUT ? await text(process.stdin) : await readText(promptFile);
  const source = await grammarSource(options, options.layout);
  const call = {
    prompt,
    maxTokens,
    parseSpecial: special,
    singleLine: false,
    banBlankStart: false,
    sampling: samplingFor(samplingOf(options), prompt),
    drafting: { lookup, model: draft !== undefined },
  };
  await withEngine(
    options,
    async (engine) => {
      const streams = !ids && !json;
      const use =
        source === undefined
          ? {}
          : { grammar: { grammar: valueOf(await engine.compileGrammar(source)), prefix: '' } };
      const completion = valueOf(
        await engine.complete({ ...call, ...use }, undefined, streams ? printText : undefined),
      );
      if (json) printJson(jsonOf(completion, source !== undefined));
      else printLine(ids ? completion.ids.join(' ') : '');
    },
    { context: WHOLE_CONTEXT, ...(draft === undefined ? {} : { draftPath: resolve(draft) }) },
  );
}

function jsonOf(
  { text, ids, stop, grammarEnded, timings, drafting }: NativeCompletion,
  constrained: boolean,
): object {
  const { drafted, accepted, batches, plainSteps, savedMs } = drafting;
  return {
    text,
    tokens: [...ids],
    stop,
    ...(constrained ? { grammar_ended: grammarEnded } : {}),
    timings: timingsJson(timings),
    drafting: { drafted, accepted, batches, plain_steps: plainSteps, saved_ms: savedMs },
  };
}
