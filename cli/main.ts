/** Emberline in a terminal: the editor's engine and completion pipeline. */
import { version } from '../package.json';
import { addCompleteCommand } from './complete_command';
import { addGenerateCommand } from './generate_command';
import { addGrammarCommand } from './grammar_command';
import { addInspectCommand } from './inspect_command';
import { addLogitsCommand } from './logits_command';
import { program, run } from './program';
import { addTokenizeCommand } from './tokenize_command';

const emberline = program('emberline', "The editor's completions and its engine, in a terminal.").version(
  version,
);
addCompleteCommand(emberline);
addGenerateCommand(emberline);
addTokenizeCommand(emberline);
addLogitsCommand(emberline);
addGrammarCommand(emberline);
addInspectCommand(emberline);
void run(emberline);
