/** What is remembered of the requests of this session: how many there were, how the last one ended, and what drafts came to. */
import { DraftingTotals } from '../core/completion/drafting_totals';
import { nothing } from '../core/completion/outcome';
import { RecentEndings } from '../core/report/recent_endings';
import type { Counters } from './api';
import type { FinishedRequest } from './completion/provider';

export class SessionRequests {
  readonly drafting = new DraftingTotals();
  /** For a report. */
  readonly recent = new RecentEndings();
  private readonly counts = { requests: 0, modelCalls: 0, shown: 0, cancelled: 0 };
  private lastRequest: FinishedRequest | undefined;
  private lastDecidedRequest: FinishedRequest | undefined;

  get counters(): Counters {
    return { ...this.counts };
  }

  get last(): FinishedRequest | undefined {
    return this.lastRequest;
  }

  /** The last request that was not merely overtaken by typing: what a user means by 'last time'. */
  get lastDecided(): FinishedRequest | undefined {
    return this.lastDecidedRequest;
  }

  /** Drops the text of a closed document; why the last request ended stays. */
  forget(uri: string): void {
    const { lastRequest, lastDecidedRequest } = this;
    if (lastRequest?.uri === uri) this.lastRequest = withoutText(lastRequest);
    if (lastDecidedRequest?.uri === uri) this.lastDecidedRequest = withoutText(lastDecidedRequest);
  }

  add(request: FinishedRequest): void {
    const { outcome } = request;
    this.counts.requests++;
    const asked = [outcome, ...(outcome.further ?? [])];
    if (asked.some(({ source }) => source === 'model')) this.counts.modelCalls++;
    for (const { drafting } of asked) this.drafting.add(drafting);
    if (outcome.shown) this.counts.shown++;
    if (outcome.stop === 'cancelled' || outcome.reason === 'cancelled') this.counts.cancelled++;
    this.recent.add(request.languageId, outcome);
    this.lastRequest = request;
    if (outcome.reason !== 'cancelled' && outcome.reason !== 'stale') this.lastDecidedRequest = request;
  }
}

function withoutText(request: FinishedRequest): FinishedRequest {
  const { reason, stop, shown, schema } = request.outcome;
  const outcome = { ...nothing(reason), stop, shown, ...(schema === undefined ? {} : { schema }) };
  return { ...request, outcome, others: [] };
}
