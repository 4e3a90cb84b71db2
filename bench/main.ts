/** The bench: what the engine and the completions are worth, in figures. `npm run bench -- --help` lists what there is. */
import { Command, CommanderError } from 'commander';
import { Failure } from '../cli/failure';
import { addCutCommand } from './cut_command';
import { addGrammarSuite } from './grammar/grammar_command';
import { addMetalSuite } from './metal/metal_command';
import { addCompareCommand, addQualitySuite } from './quality_command';
import { addPeerCommand } from './peer/peer_command';
import { addReplaySuite } from './replay/replay_command';
import { addSamplingSuite } from './sampling/sampling_command';
import { addSpeedSuites } from './speed_command';

/** Gives the exit status: 1 for a failure, 2 for bad usage. */
async function main(): Promise<number> {
  const program = new Command('bench')
    .description('Measures the engine and the completions.')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'USAGE: ')) })
    .helpCommand(false);
  addSpeedSuites(program);
  addQualitySuite(program);
  addMetalSuite(program);
  addReplaySuite(program);
  addGrammarSuite(program);
  addSamplingSuite(program);
  addCutCommand(program);
  addCompareCommand(program);
  addPeerCommand(program);
  try {
    await program.parseAsync();
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof Failure)) throw error;
    console.error(`${error.code}: ${error.message}`);
    return 1;
  }
}

void main().then((status) => {
  process.exitCode = status;
});
