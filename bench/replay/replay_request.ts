/** Asks the engine what an editor would ask at the place of a case, and how long the decoding took. */
import { Failure, valueOf } from '../../cli/failure';
import { ask } from '../../core/completion/asking';
import { PromptWriter } from '../../core/completion/prompt_writer';
import { DEFAULT_SAMPLING } from '../../core/completion/sampling';
import type { Engine } from '../../core/engine/engine';
import type { NativeDrafting, NativeDraftingCounts } from '../../core/engine/native_drafting';
import { documentOf } from '../completion_case';
import type { ReplayCase } from './replay_case';

/** More than any case has. */
const PROMPT_TOKENS = 1_000;

/** How a text is asked for. */
export interface Manner {
  /** Several lines, as for generating at the cursor, or the rest of one, as for ghost text. */
  readonly lines: 'several' | 'one';
  readonly temperature: number;
  readonly maxTokens: number;
}

export interface Sample {
  /** From the end of the prompt to the end of the text. */
  readonly ms: number;
  readonly ids: Uint32Array;
  readonly drafting: NativeDraftingCounts;
}

/** Throws Failure. */
export async function replay(
  engine: Engine,
  one: ReplayCase,
  { lines, temperature, maxTokens }: Manner,
  drafting: Partial<NativeDrafting>,
): Promise<Sample> {
  const document = documentOf(one);
  const sampling = { ...DEFAULT_SAMPLING, temperature };
  const nothing = { similarCode: 'never', definitions: 'never', recentEdits: false } as const;
  const options = { maxTokens, promptTokens: PROMPT_TOKENS, sampling, drafting: 'auto' as const, ...nothing };
  const single = lines === 'one';
  // A writer for each, so that no case depends on the one before.
  const beside = one.beside.map((text) => ({ text, languageId: document.languageId }));
  const place = { document, options, beside };
  const answer = await ask(new PromptWriter(engine), place, (request) =>
    engine.complete({ ...request, drafting, singleLine: single, banBlankStart: single }),
  );
  const { ids, timings, drafting: counts } = valueOf(answer);
  if (ids.length === 0) throw new Failure({ code: 'EARLY_END', message: `Case ${one.id} gives no text.` });
  return { ms: timings.totalMs - timings.prefillMs, ids, drafting: counts };
}
