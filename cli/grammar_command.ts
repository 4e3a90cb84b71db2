/** `grammar`: whether a document conforms to a schema, and how a suite of them fares. */
import type { Command } from 'commander';
import { addonPath, loadAddon } from '../core/engine/binding';
import type { NativeErrorCode } from '../core/engine/native_result';
import { type EngineArguments, ROOT, withEngine, withEngineOptions } from './engine_options';
import { valueOf } from './failure';
import { readText } from './files';
import { type GrammarArguments, grammarSource, schemasOption, withGrammarOptions } from './grammar_options';
import { percentile, readSuite, runSuite, type SuiteCounts } from './grammar_suite';
import { printJson, printLine } from './output';
import { schemaFolder } from './schema_folder';

interface CheckArguments extends GrammarArguments {
  readonly instance: string;
}

/** Errors that say that a grammar, though there may be nothing wrong with it, is not enforced here. */
const UNSUPPORTED: readonly string[] = [
  'GRAMMAR_UNSUPPORTED',
  'GRAMMAR_TOO_LARGE',
] satisfies NativeErrorCode[];

/** The verdict is right, but hardly what somebody wanted to know. */
const NOTHING_CONFORMS = 'Nothing at all conforms to this grammar; correct it.';

export function addGrammarCommand(program: Command): void {
  const command = program.command('grammar').description('check documents against schemas and grammars');
  const checks = command
    .command('check')
    .description('print accept, reject, or unsupported and why')
    .requiredOption('--instance <file>', 'the document, or with --grammar the text');
  withGrammarOptions(checks).action((options: CheckArguments) => check(checks, options));
  const suites = command
    .command('suite')
    .description('check every document of a suite, and measure the masks along those that are valid')
    .argument('<folder>', 'of files {schema, tests: [{valid, data}]}, or arrays of that')
    .option('--json', 'as JSON')
    .addOption(schemasOption());
  withEngineOptions(suites).action(suite);
}

async function check(command: Command, options: CheckArguments): Promise<void> {
  const source = await grammarSource(options);
  if (source === undefined) return command.error("error: one of '--schema' and '--grammar' is needed");
  const instance = await readText(options.instance);
  const compiled = await valueOf(loadAddon(addonPath(ROOT))).compileGrammar(source);
  const verdict = compiled.ok ? await compiled.value.check(instance) : compiled;
  if (!verdict.ok && UNSUPPORTED.includes(verdict.error.code)) {
    printLine(`unsupported: ${verdict.error.message}`);
  } else {
    printLine(valueOf(verdict));
    if (compiled.ok && compiled.value.empty) process.stderr.write(`${NOTHING_CONFORMS}\n`);
  }
}

interface SuiteArguments extends EngineArguments {
  readonly json?: boolean;
  readonly schemas?: string;
}

async function suite(folder: string, options: SuiteArguments): Promise<void> {
  const groups = await readSuite(folder);
  const known = options.schemas === undefined ? undefined : schemaFolder(options.schemas);
  const counts = await withEngine(options, (engine) => runSuite(engine, groups, known));
  if (options.json === true) printJson(jsonOf(counts));
  else for (const line of linesOf(counts)) printLine(line);
}

function jsonOf({ files, unsupported, compileMs, maskUs, ...counts }: SuiteCounts): object {
  return {
    files,
    valid_accepted: counts.validAccepted,
    valid_rejected: counts.validRejected,
    invalid_rejected: counts.invalidRejected,
    invalid_accepted: counts.invalidAccepted,
    unsupported,
    compile_ms: { p50: percentile(compileMs, 0.5), p99: percentile(compileMs, 0.99) },
    mask_us: {
      p50: percentile(maskUs, 0.5),
      p99: percentile(maskUs, 0.99),
      p999: percentile(maskUs, 0.999),
    },
  };
}

function linesOf(counts: SuiteCounts): string[] {
  const { files, unsupported, compileMs, maskUs, notes } = counts;
  const at = (values: readonly number[], share: number): string => percentile(values, share).toFixed(3);
  return [
    ...notes,
    `schemas: ${files}, of which unsupported: ${unsupported}`,
    `valid: ${counts.validAccepted} accepted, ${counts.validRejected} rejected`,
    `invalid: ${counts.invalidRejected} rejected, ${counts.invalidAccepted} accepted`,
    `compile, ms: p50 ${at(compileMs, 0.5)}, p99 ${at(compileMs, 0.99)}`,
    `mask, us, ${maskUs.length} tokens: p50 ${at(maskUs, 0.5)}, p99 ${at(maskUs, 0.99)}, p99.9 ${at(maskUs, 0.999)}`,
  ];
}
