/** What a user can choose about generating at the cursor; read from the settings by `extension/settings.ts`. */

/** What becomes of the text when generating is stopped before its end. */
export const KEEP_PARTIAL = ['ask', 'keep', 'drop'] as const;
export type KeepPartial = (typeof KEEP_PARTIAL)[number];

export interface GenerateOptions {
  /** Most tokens of a generated text, 1 to 2048. */
  readonly maxTokens: number;
  readonly keepPartial: KeepPartial;
}

/** The defaults of package.json; a test compares them. */
export const DEFAULT_GENERATE: GenerateOptions = { maxTokens: 256, keepPartial: 'ask' };
