/** Several different texts for one cursor: the one that was made first, then others (core/completion/candidate_search.ts). */
import { CandidateSearch } from '../completion/candidate_search';
import type { DocumentSnapshot } from '../completion/document';
import { answerOf, firstOf, type TokenAnswer } from '../completion/fork_order';
import type { NativeCompletion } from '../engine/native_types';
import type { MadeText, TextMaker } from './text_maker';

export interface CandidatePlace {
  readonly document: DocumentSnapshot;
  /** What the model reads in its place. Default: the document. */
  readonly reads?: DocumentSnapshot;
}

export class TextCandidates {
  private readonly maker: Pick<TextMaker, 'make'>;
  private readonly place: CandidatePlace;
  private readonly search: CandidateSearch;
  /** What comes from elsewhere has no ids: the others come from this machine. */
  private namesTokens = false;

  /** @param known A text that nobody wants again. */
  constructor(maker: Pick<TextMaker, 'make'>, place: CandidatePlace, known?: string) {
    this.maker = maker;
    this.place = place;
    this.search = new CandidateSearch(known);
  }

  /** Takes in the first one, which was made already. */
  begin({ answer, text, remote }: MadeText): void {
    this.namesTokens = true;
    this.search.begin(remote || !answer.ok ? undefined : visibleOf(answer.value, text), text);
  }

  /** The next one, or one that was cancelled or failed (`whole` is false); undefined where there is no other. One call at a time. Never rejects. */
  next(signal: AbortSignal): Promise<MadeText | undefined> {
    const { document, reads } = this.place;
    return this.search.next(
      (fork) =>
        this.maker.make(document, {
          signal,
          fork,
          ...(reads === undefined ? {} : { reads }),
          namesTokens: this.namesTokens || fork !== undefined,
        }),
      (made) => {
        const { answer, text, whole, remote } = made;
        if (remote) this.namesTokens = true;
        const isOver = answer.ok && whole;
        return {
          answer: isOver ? visibleOf(answer.value, text) : undefined,
          barredProbability: answer.ok ? answer.value.barredProbability : 0,
          result: isOver && text.trim() !== '' ? text : undefined,
        };
      },
    );
  }
}

/** Of what a model said, the tokens that are to be seen: those behind the end of a block would be other beginnings of the same text. */
function visibleOf(completion: NativeCompletion, text: string): TokenAnswer {
  const answer = answerOf(completion);
  let left = text.replace(/\s/g, '').length;
  let end = 0;
  while (left > 0 && end < completion.text.length) if (!/\s/.test(completion.text[end++] ?? '')) left--;
  const inFront = answer.ids.length - answer.course.ends.length;
  const last = answer.course.ends.findIndex((one) => one >= end);
  return last < 0 ? answer : firstOf(answer, inFront + last + 1);
}
