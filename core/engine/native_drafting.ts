/** The part of the native surface that is about drafts: guessed tokens that the model verifies in one batch. */

/** The most tokens of a draft: with the row that needs none, they fill a batch of 16. The same as `kMostDrafted` in native/. */
export const MOST_DRAFTED = 15;

/**
 * Which drafts a request may have: guessed tokens that the model verifies in one batch. The text follows the same law without them,
 * and is the same text unless a draft model draws tokens.
 */
export interface NativeDrafting {
  /** What followed when the last tokens stood somewhere before, in the prompt, the text made or `references`. */
  readonly lookup: boolean;
  /** What the draft model says, where the model was loaded with one. */
  readonly model: boolean;
  /** Verify what measurements say is worth it; else whatever is drafted. */
  readonly adaptive: boolean;
  /** Most tokens of a draft, 1 to MOST_DRAFTED. */
  readonly most: number;
}

/** What drafts came to in one request. */
export interface NativeDraftingCounts {
  /** Drafted tokens that were verified. */
  readonly drafted: number;
  /** Of those, how many the model confirmed. */
  readonly accepted: number;
  /** Verifications; each gives what it accepted and one token more. */
  readonly batches: number;
  /** Tokens that were decoded without a draft. */
  readonly plainSteps: number;
  /** How much longer as many plain steps would have taken, ms; negative where drafts cost time. */
  readonly savedMs: number;
}

export const NO_DRAFTS: NativeDraftingCounts = {
  drafted: 0,
  accepted: 0,
  batches: 0,
  plainSteps: 0,
  savedMs: 0,
};
