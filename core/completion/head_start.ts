/**
 * A suggestion that is begun with the key that asks for it: an editor waits a while before it does (VS Code 50 ms), and has what it asks for
 * made by then, or under way.
 */
import type { DocumentSnapshot } from './document';
import type { CompletionOutcome } from './outcome';
import type { SuggestionRequest } from './pipeline';

/** What is begun before anybody waits for it. */
export type Foreseen = Omit<SuggestionRequest, 'signal' | 'explicit' | 'fork'>;

/** An editor that has not asked after so long does so for some other reason, and there may be another model by then, ms. */
const LONGEST_MS = 1_000;

interface Begun {
  readonly document: DocumentSnapshot;
  readonly controller: AbortController;
  readonly outcome: Promise<CompletionOutcome>;
  readonly atMs: number;
  /** When it came to its end. */
  endMs: number | undefined;
}

export class HeadStart {
  private readonly make: (request: SuggestionRequest) => Promise<CompletionOutcome>;
  private begun: Begun | undefined;

  /** @param make Never rejects. */
  constructor(make: (request: SuggestionRequest) => Promise<CompletionOutcome>) {
    this.make = make;
  }

  /** The place that something was begun for, which may be asked for yet. */
  get document(): DocumentSnapshot | undefined {
    const { begun } = this;
    return begun === undefined || performance.now() - begun.atMs > LONGEST_MS ? undefined : begun.document;
  }

  /** Gives up what was begun before. */
  begin(foreseen: Foreseen): void {
    this.giveUp();
    const controller = new AbortController();
    const { document } = foreseen;
    const outcome = this.make({ ...foreseen, signal: controller.signal });
    const begun: Begun = { document, controller, outcome, atMs: performance.now(), endMs: undefined };
    void outcome.then(() => (begun.endMs = performance.now()));
    this.begun = begun;
  }

  /** Once what was begun for that place is made; undefined where nothing was, or the engine did something else in between. */
  async take(request: SuggestionRequest): Promise<CompletionOutcome | undefined> {
    const { begun } = this;
    const { document, signal, explicit = false, fork } = request;
    if (begun === undefined) return undefined;
    const takenMs = performance.now();
    const isOther = explicit || fork !== undefined || !isSamePlace(begun.document, document);
    if (isOther || this.document === undefined) {
      this.giveUp();
      return undefined;
    }
    this.begun = undefined;
    const giveUp = (): void => begun.controller.abort();
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    const outcome = await begun.outcome;
    signal.removeEventListener('abort', giveUp);
    if (outcome.reason === 'cancelled' && !signal.aborted) return undefined;
    return { ...outcome, headStartMs: Math.min(begun.endMs ?? takenMs, takenMs) - begun.atMs };
  }

  /** @param uri In which document. Default: in any. */
  giveUp(uri = this.begun?.document.uri): void {
    if (this.begun?.document.uri !== uri) return;
    this.begun?.controller.abort();
    this.begun = undefined;
  }
}

function isSamePlace(one: DocumentSnapshot, other: DocumentSnapshot): boolean {
  return one.uri === other.uri && one.before === other.before && one.after === other.after;
}
