/** Emberline in a terminal: the editor's engine and completion pipeline. Exit status: 1 for a failure, 2 for bad usage. */
import { Command, CommanderError } from 'commander';
import { version } from '../package.json';
import { addCompleteCommand } from './complete_command';
import { Failure } from './failure';
import { addGenerateCommand } from './generate_command';
import { addGrammarCommand } from './grammar_command';
import { addInspectCommand } from './inspect_command';
import { addLogitsCommand } from './logits_command';
import { endQuietlyOnClosedPipe } from './output';
import { addTokenizeCommand } from './tokenize_command';

async function main(): Promise<number> {
  endQuietlyOnClosedPipe();
  // Set before the commands are added: they inherit it.
  const program = new Command('emberline')
    .description("The editor's completions and its engine, in a terminal.")
    .version(version)
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'USAGE: ')) })
    .helpCommand(false);
  addCompleteCommand(program);
  addGenerateCommand(program);
  addTokenizeCommand(program);
  addLogitsCommand(program);
  addGrammarCommand(program);
  addInspectCommand(program);
  try {
    await program.parseAsync();
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof Failure)) throw error;
    process.stderr.write(`${error.code}: ${error.message}\n`);
    return 1;
  }
}

// Not process.exit(): what is written to a pipe must get there.
void main().then((status) => {
  process.exitCode = status;
});
