/** What a user can choose about completion; read from the settings by `extension/settings.ts`, from arguments by the terminal. */
import type { Multiline } from './block_lines';
import { LEAST_CERTAINTY } from './certainty';
import { SECRET_FILES } from './excluded_files';
import type { OnBattery, Restraint } from './restraint';
import { DEFAULT_SAMPLING, type SamplingOptions } from './sampling';

/** Whether tokens are drafted and then checked several at once: `auto` does it where it pays. */
export const DRAFTING = ['auto', 'off'] as const;
export type Drafting = (typeof DRAFTING)[number];

/** Whether the model is given something of the project beside the document: `auto` does it where it pays (project_context.ts). */
export const WHERE_IT_PAYS = ['auto', 'never', 'always'] as const;
export type WhereItPays = (typeof WHERE_IT_PAYS)[number];

export interface CompletionOptions {
  readonly enabled: boolean;
  /** By language id; `*` is every language not named. */
  readonly languages: Readonly<Record<string, boolean>>;
  readonly excludedFiles: readonly string[];
  /** Most tokens of a suggestion, 1 to 256. */
  readonly maxTokens: number;
  /** Tokens of prompt; 0 follows the measured speed. */
  readonly promptTokens: number;
  /** How sure a suggestion has to be to be shown unasked, 0 to 1 (certainty.ts); 0 shows all. */
  readonly leastCertainty: number;
  /** Where suggestions go on over lines. */
  readonly multiline: Multiline;
  /** Code of other files that resembles what stands around the cursor. */
  readonly similarCode: WhereItPays;
  /** The definitions behind names that the file imports. */
  readonly definitions: WhereItPays;
  /** What was changed elsewhere a moment ago. */
  readonly recentEdits: boolean;
  /** Whether a suggestion that is asked for may use the clipboard. */
  readonly clipboard: boolean;
  /** Whether the model reads where the cursor rests before anything is asked there. */
  readonly prepares: boolean;
  /** What becomes of suggestions on battery power. */
  readonly onBattery: OnBattery;
  /** What keeps suggestions back at the moment (restraint.ts). */
  readonly restraint?: Restraint;
  /** How long to wait before the model is asked unasked, ms, on top of the editor's own wait. */
  readonly delayMs: number;
  readonly sampling: SamplingOptions;
  readonly drafting: Drafting;
  /** Whether suggestions in JSON follow the file's schema. */
  readonly jsonSchemas: boolean;
}

/** The defaults of package.json; a test compares them. */
export const DEFAULT_OPTIONS: CompletionOptions = {
  enabled: true,
  languages: { '*': true, log: false, scminput: false, 'search-result': false },
  excludedFiles: SECRET_FILES,
  maxTokens: 40,
  promptTokens: 0,
  leastCertainty: LEAST_CERTAINTY.balanced,
  multiline: 'auto',
  similarCode: 'auto',
  definitions: 'auto',
  recentEdits: false,
  clipboard: false,
  prepares: true,
  onBattery: 'asUsual',
  delayMs: 0,
  sampling: DEFAULT_SAMPLING,
  drafting: 'auto',
  jsonSchemas: true,
};

/** As for what is asked for, which is made where suggestions are turned off, too; files with secrets stay alone. */
export function askedOptions(options: CompletionOptions): CompletionOptions {
  return { ...options, enabled: true, languages: { '*': true, scminput: true } };
}

export function languageEnabled(languages: Readonly<Record<string, boolean>>, languageId: string): boolean {
  return languages[languageId] ?? languages['*'] ?? true;
}
