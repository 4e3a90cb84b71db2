/** Whole sessions of typing: with our prompts by who never accepts and by the ideal user, and by the ideal user with prompts of others. */
import { Calibration } from '../../core/completion/calibration';
import type { GenerationEngine } from '../../core/completion/engine_port';
import { type CompletionOptions, DEFAULT_OPTIONS } from '../../core/completion/options';
import { firstKeyMs } from './first_key';
import { CUTTERS, CutPrompts, OTHER_PROMPTS, type OtherPrompt } from './other_prompts';
import type { Stretch } from './stretch';
import { type Subject, subjectOf } from './subject';
import { chooseStretches } from './typing_files';
import { type Person, type TypedStretch, typeStretch } from './typing_session';

/** How long the cursor rests before the first key in a file that is read ahead, ms. */
const FIRST_REST_MS = 1_000;

export interface TypingOptions {
  /** A folder of sources. */
  readonly files: string;
  /** Keys to type, about so many. */
  readonly keys: number;
  readonly seed: number;
  readonly patient: boolean;
  /** Tokens of prompt; 0 follows the measured speed, as the editor does. */
  readonly promptTokens: number;
  /** Without the prompts of others. */
  readonly alone: boolean;
}

/** What is known of the model that types. */
export interface TypingModel {
  /** Whether it is learnt how sure one may be of it, as of models that the user chose. */
  readonly isLearnt: boolean;
}

/** What the ideal user types with one of the others' prompts. */
export interface OtherTyping {
  readonly prompt: OtherPrompt;
  /** As others go about it: whatever the model makes is shown, and it is begun when the editor asks. */
  readonly all: readonly TypedStretch[];
  /** As we do: what is sure enough is shown, and it is begun with the key. */
  readonly sure: readonly TypedStretch[];
}

export interface Typing {
  /** By who never accepts. */
  readonly along: readonly TypedStretch[];
  /** By the ideal user. */
  readonly ideal: readonly TypedStretch[];
  /** The same where whatever the model makes is shown; empty where the others' prompts are left out. */
  readonly idealOfAll: readonly TypedStretch[];
  readonly others: readonly OtherTyping[];
  /** That of the model's certainty, learnt from who never accepts (core/completion/calibration.ts). Absent where it is not learnt. */
  readonly temperature?: number;
  /** What answers to first keys took in files that were not read ahead, and that were, ms. */
  readonly cold: readonly number[];
  readonly rested: readonly number[];
}

/** Throws Failure. */
export async function runTyping(
  engine: GenerationEngine,
  options: TypingOptions,
  { isLearnt }: TypingModel,
): Promise<Typing> {
  const { files, keys, seed, patient, promptTokens, alone } = options;
  const stretches = await chooseStretches(files, keys, seed);
  const session = async (
    name: string,
    subject: Subject,
    accepts: boolean,
    headStart = true,
  ): Promise<TypedStretch[]> => {
    console.error(`typing: ${name}`);
    return typeAll(subject, stretches, { accepts, patient, headStart });
  };
  const chosen = (leastCertainty = DEFAULT_OPTIONS.leastCertainty): CompletionOptions => ({
    ...DEFAULT_OPTIONS,
    promptTokens,
    leastCertainty,
  });
  const learns = (): Calibration | undefined => (isLearnt ? new Calibration() : undefined);
  const ours = (leastCertainty?: number, calibration = learns()): Subject =>
    subjectOf(engine, chosen(leastCertainty), undefined, true, calibration);
  const learnt = learns();
  const first = await firstKeys(engine, ours(), stretches);
  const along = await session('typed along', ours(undefined, learnt), false);
  const ideal = await session('accepted where it is right', ours(), true);
  const idealOfAll = alone ? [] : await session('the same, all shown', ours(0), true);
  const others: OtherTyping[] = [];
  for (const prompt of alone ? [] : OTHER_PROMPTS) {
    const theirs = (leastCertainty?: number): Subject =>
      subjectOf(engine, chosen(leastCertainty), new CutPrompts(engine, CUTTERS[prompt]), true, learns());
    const all = await session(`the prompt of ${prompt}`, theirs(0), true, false);
    const sure = await session(`the prompt of ${prompt}, all else as ours`, theirs(), true);
    others.push({ prompt, all, sure });
  }
  const of = learnt === undefined ? {} : { temperature: learnt.temperature };
  return { along, ideal, idealOfAll, others, ...of, ...first };
}

export async function typeAll(
  subject: Subject,
  stretches: readonly Stretch[],
  person: Person,
): Promise<TypedStretch[]> {
  const typed: TypedStretch[] = [];
  for (const stretch of stretches) typed.push(await typeStretch(subject, stretch, person));
  return typed;
}

async function firstKeys(
  engine: GenerationEngine,
  subject: Subject,
  stretches: readonly Stretch[],
): Promise<Pick<Typing, 'cold' | 'rested'>> {
  const cold: number[] = [];
  const rested: number[] = [];
  for (const stretch of stretches) {
    for (const [restMs, times] of [[0, cold] as const, [FIRST_REST_MS, rested] as const]) {
      const ms = await firstKeyMs(engine, subject, stretch, restMs);
      if (ms !== undefined) times.push(ms);
    }
  }
  return { cold, rested };
}
