/** Who is typed with: the engine of this machine, and llama.cpp's server on the same machine with the same weights, asked in three ways. */
import type { GenerationEngine } from '../../core/completion/engine_port';
import { type CompletionOptions, DEFAULT_OPTIONS } from '../../core/completion/options';
import { PromptWriter } from '../../core/completion/prompt_writer';
import { endpointOf } from '../../core/remote/endpoint';
import { RemoteEngine } from '../../core/remote/remote_engine';
import { REMOTE_PROMPT_TOKENS } from '../../core/remote/remote_first';
import { valueOf } from '../../cli/failure';
import { CUTTERS, CutPrompts } from '../typing/other_prompts';
import { type Subject, subjectOf } from '../typing/subject';

export interface Contender {
  readonly name: string;
  /** As an editor starts. @param leastCertainty As of CompletionOptions. */
  readonly subject: (leastCertainty?: number) => Subject;
}

const optionsFor = (
  promptTokens: number,
  leastCertainty = DEFAULT_OPTIONS.leastCertainty,
): CompletionOptions => ({ ...DEFAULT_OPTIONS, promptTokens, leastCertainty });

/** @param promptTokens 0 follows the measured speed, as the editor does. */
export function ourselves(engine: GenerationEngine, promptTokens: number): Contender {
  return {
    name: 'emberline',
    subject: (leastCertainty) => subjectOf(engine, optionsFor(promptTokens, leastCertainty)),
  };
}

/** Throws Failure where the server is not what it should be. */
export async function overServer(url: string): Promise<{
  readonly contenders: readonly Contender[];
  readonly dispose: () => void;
}> {
  const engines = (['auto', 'server'] as const).map(
    (fim) =>
      new RemoteEngine({
        endpoint: valueOf(endpointOf(url)),
        key: () => undefined,
        choices: { protocol: 'llama-server', model: '', fim },
      }),
  );
  for (const engine of engines) valueOf(await engine.connect());
  const [taught, infill] = engines as [RemoteEngine, RemoteEngine];
  const asked =
    (engine: RemoteEngine, prompts: () => PromptWriter): Contender['subject'] =>
    (leastCertainty) =>
      // Where the cursor rests the extension has its own machine read ahead, and nobody else.
      subjectOf(engine, optionsFor(REMOTE_PROMPT_TOKENS, leastCertainty), prompts(), false);
  const cut = (engine: RemoteEngine): Contender['subject'] =>
    asked(engine, () => new CutPrompts(engine, CUTTERS['llama-vscode']));
  return {
    contenders: [
      { name: 'llama-server', subject: asked(taught, () => new PromptWriter(taught)) },
      { name: 'llama-vscode', subject: cut(taught) },
      { name: 'llama-vscode-infill', subject: cut(infill) },
    ],
    dispose: () => {
      for (const engine of engines) engine.dispose();
    },
  };
}
