/** The options that name a grammar. */
import { type Command, Option } from 'commander';
import type { NativeGrammarSource, NativeLayout } from '../extension/engine/native_grammar';
import { readText } from './files';

export interface GrammarArguments {
  readonly grammar?: string;
  readonly schema?: string;
}

const LAYOUTS = ['compact', 'free', 'indented'] as const;
export type LayoutName = (typeof LAYOUTS)[number];

/** `--grammar` and `--schema`, of which one at most may be given. */
export function withGrammarOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--grammar <file>', 'a grammar in GBNF that the text has to follow').conflicts('schema'),
    )
    .option('--schema <file>', 'a JSON Schema that the text has to conform to');
}

export function withLayoutOption(command: Command): Command {
  return command.addOption(
    new Option('--layout <name>', 'whitespace of JSON (with --schema): none, any, or two spaces a level')
      .choices(LAYOUTS)
      .default('compact'),
  );
}

/** What the options name; undefined where they name nothing. */
export async function grammarSource(
  { grammar, schema }: GrammarArguments,
  layout: LayoutName = 'compact',
): Promise<NativeGrammarSource | undefined> {
  if (grammar !== undefined) return { gbnf: await readText(grammar) };
  return schema === undefined ? undefined : { schema: await readText(schema), layout: layoutNamed(layout) };
}

function layoutNamed(kind: LayoutName): NativeLayout {
  return kind === 'indented' ? { kind, unit: '  ', newline: '\n' } : { kind };
}
