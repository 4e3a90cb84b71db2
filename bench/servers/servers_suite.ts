/** The same stretches typed with our engine and with llama.cpp's server: how long a suggestion takes, and what it saves. */
import type { GenerationEngine } from '../../core/completion/engine_port';
import type { Stretch } from '../typing/stretch';
import { chooseStretches } from '../typing/typing_files';
import type { TypedStretch } from '../typing/typing_session';
import { typeAll, type TypingOptions } from '../typing/typing_suite';
import { type Contender, ourselves, overServer } from './contenders';
import { startServer } from './server_program';

export interface TypedWith {
  readonly name: string;
  /** By who never accepts, and waits for each answer: on a machine where all are late they are timed all the same. */
  readonly along: readonly TypedStretch[];
  /** By the ideal user, who waits as well: of what is sure enough to be shown, and of all. */
  readonly sure: readonly TypedStretch[];
  readonly all: readonly TypedStretch[];
  /** By the ideal user, who types on where an answer is late; none where everybody is patient. */
  readonly hasty: readonly TypedStretch[];
}

/**
 * Ours comes first. Throws Failure.
 * @param model The file that both engines have.
 * @param program Of the server; default: it is compiled.
 */
export async function runServers(
  engine: GenerationEngine,
  model: string,
  { files, keys, seed, patient, promptTokens }: TypingOptions,
  program?: string,
): Promise<TypedWith[]> {
  const stretches = await chooseStretches(files, keys, seed);
  const server = await startServer(model, program);
  try {
    const { contenders, dispose } = await overServer(server.url);
    const typed: TypedWith[] = [];
    for (const contender of [ourselves(engine, promptTokens), ...contenders])
      typed.push(await typeWith(contender, stretches, patient));
    dispose();
    return typed;
  } finally {
    await server.stop();
  }
}

async function typeWith(
  { name, subject }: Contender,
  stretches: readonly Stretch[],
  patient: boolean,
): Promise<TypedWith> {
  console.error(`servers: ${name}`);
  const along = await typeAll(subject(), stretches, { accepts: false, patient: true });
  const sure = await typeAll(subject(), stretches, { accepts: true, patient: true });
  const all = await typeAll(subject(0), stretches, { accepts: true, patient: true });
  const hasty = patient ? [] : await typeAll(subject(), stretches, { accepts: true, patient: false });
  return { name, along, sure, all, hasty };
}
