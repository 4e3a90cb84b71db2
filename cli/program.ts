/** What the terminal programs share: how they are set up, and how they end. */
import { Command, CommanderError } from 'commander';
import { Failure } from './failure';
import { endQuietlyOnClosedPipe } from './output';

/** A program without commands; they inherit how it is set up. */
export function program(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'USAGE: ')) })
    .helpCommand(false);
}

/** Runs the command that the process was started with. Sets the exit status: 1 for a failure, 2 for bad usage. */
export async function run(command: Command): Promise<void> {
  endQuietlyOnClosedPipe();
  // Not process.exit(): what is written to a pipe must get there.
  process.exitCode = await statusOf(command);
}

async function statusOf(command: Command): Promise<number> {
  try {
    await command.parseAsync();
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof Failure)) throw error;
    process.stderr.write(`${error.code}: ${error.message}\n`);
    return 1;
  }
}
