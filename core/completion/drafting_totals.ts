/** What drafts came to over many requests. */
import type { NativeDraftingCounts } from '../engine/native_drafting';

export class DraftingTotals {
  drafted = 0;
  accepted = 0;
  batches = 0;
  plainSteps = 0;
  savedMs = 0;

  add(counts: NativeDraftingCounts): void {
    this.drafted += counts.drafted;
    this.accepted += counts.accepted;
    this.batches += counts.batches;
    this.plainSteps += counts.plainSteps;
    this.savedMs += counts.savedMs;
  }

  /** Of the drafted tokens, the part that was right, 0 to 1; 0 before any draft. */
  get acceptance(): number {
    return this.drafted === 0 ? 0 : this.accepted / this.drafted;
  }

  /** Tokens for each time the model was run, 1 or more; 0 before it was. */
  get tokensPerStep(): number {
    const steps = this.batches + this.plainSteps;
    return steps === 0 ? 0 : (this.accepted + steps) / steps;
  }
}
