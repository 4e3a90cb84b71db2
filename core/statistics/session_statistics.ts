/** What is counted while the extension runs: the last requests, how long keys wait for ghost text, and what becomes of suggestions. Memory is bounded. */
import { Histogram, type HistogramCounts } from './histogram';
import { type EndedRequest, type RequestRecord, recordOf } from './request_record';
import { type FollowedOffer, SuggestionFates } from './suggestion_fates';
import { UsageTotals } from './usage';
import type { Replacement } from '../completion/document';

/** Requests that are looked back at. */
export const MOST_REQUESTS = 60;
/** Upper bounds, ms: the sixtieth of a second that nobody notices, then steps that grow with what one feels. */
export const KEY_TO_GHOST_BOUNDS = [16, 33, 50, 75, 100, 150, 200, 300, 500, 800, 1_200, 2_000];

/** A request of the editor that came to an end. */
export interface CountedRequest extends EndedRequest {
  readonly uri: string;
  /** The document's version that it was made for. */
  readonly version: number;
  /** Where its text would be inserted, UTF-16 units from the document's start. */
  readonly offset: number;
  /** Whether it goes on from an entry of the suggestion list, which is taken with it: how that ends is not followed. */
  readonly inList: boolean;
}

/** The last key. */
interface Key {
  readonly uri: string;
  readonly version: number;
  readonly atMs: number;
  /** Whether it has had its ghost text. */
  answered: boolean;
}

export class SessionStatistics {
  /** Since it was last handed on. */
  readonly usage = new UsageTotals();
  private readonly fates = new SuggestionFates(this.usage);
  private readonly requests: RequestRecord[] = [];
  private readonly waits = new Histogram(KEY_TO_GHOST_BOUNDS);
  private key: Key | undefined;

  /**
   * A document changed.
   * @param version Its version from then on.
   * @param atMs Of the clock that requests have.
   */
  changed(uri: string, version: number, changes: readonly Replacement[], atMs: number): void {
    this.key = { uri, version, atMs, answered: false };
    for (const change of changes) this.fates.changed(uri, change);
  }

  /** A request came to an end. */
  ended(request: CountedRequest): void {
    const { uri, version, outcome, others, explicit, answeredMs, languageId, offset, inList } = request;
    const { key } = this;
    const followsKey = key?.uri === uri && key.version === version && !explicit;
    this.requests.push(recordOf(request, followsKey ? key.atMs : undefined));
    if (this.requests.length > MOST_REQUESTS) this.requests.shift();
    if (!outcome.shown) return;
    if (followsKey && !key.answered) {
      key.answered = true;
      this.waits.add(answeredMs - key.atMs);
    }
    if (inList) return;
    const { text, replace } = outcome;
    const offer: FollowedOffer = { uri, offset, text, replace, languageId };
    this.fates.offered(others.length === 0 ? offer : { ...offer, others: others.map((one) => one.text) });
  }

  /** What is shown was dismissed. */
  dismissed(): void {
    this.fates.dismissed();
  }

  /** A document was closed. */
  closed(uri: string): void {
    this.fates.forget(uri);
    if (this.key?.uri === uri) this.key = undefined;
  }

  /** The oldest first. */
  lastRequests(): readonly RequestRecord[] {
    return [...this.requests];
  }

  /** From a change that a key made until its ghost text was handed to the editor, ms. */
  keyToGhost(): HistogramCounts {
    return this.waits.snapshot();
  }
}
