/** Several different edits for one instruction: first the one that the model likes best, then others (core/completion/candidate_search.ts). */
import { CandidateSearch, type RequestFork } from '../completion/candidate_search';
import { answerOf } from '../completion/fork_order';
import {
  editAnswer,
  type EditParts,
  type EditProposal,
  editQuestion,
  type EditQuestion,
  type EditRequest,
  ended,
} from './edit_proposal';
import { applied } from './line_edit';

export class EditCandidates {
  private readonly parts: EditParts;
  private readonly request: EditRequest;
  private question: EditQuestion | undefined;
  /** By the documents that would come of what is proposed. */
  private readonly search: CandidateSearch;

  /** @param known Proposed before: nobody who wants it otherwise wants it again. */
  constructor(parts: EditParts, request: EditRequest, known?: EditProposal) {
    this.parts = parts;
    this.request = request;
    this.search = new CandidateSearch(known === undefined ? undefined : this.resultOf(known));
  }

  /**
   * The next one: an edit that was not proposed yet, or why there is none, `no_other` behind the last. One call at a time. Never rejects.
   * @param onProgress Receives the pieces of answers as they are made.
   */
  async next(signal: AbortSignal, onProgress?: (piece: string) => void): Promise<EditProposal> {
    if (this.question === undefined) {
      const question = await editQuestion(this.parts, this.request);
      if ('ending' in question) return question;
      this.question = question;
    }
    const { question } = this;
    const ask = (fork: RequestFork | undefined): Promise<EditProposal> =>
      editAnswer(this.parts, this.request, question, signal, onProgress, fork);
    const made = await this.search.next(ask, (proposal) => {
      const { completion, ending } = proposal;
      const isOver = completion !== undefined && ending !== 'cancelled';
      return {
        answer: isOver ? answerOf(completion) : undefined,
        barredProbability: completion?.barredProbability ?? 0,
        result: ending === 'proposed' ? this.resultOf(proposal) : undefined,
      };
    });
    return made ?? ended('no_other');
  }

  /** Frees the grammar. Nothing is asked afterwards. */
  close(): void {
    this.question?.close();
  }

  private resultOf({ replacements }: EditProposal): string {
    return applied(this.request.text, replacements);
  }
}
