/**
 * Several different edits for one instruction: first the one that the model likes best, then others, each made when somebody asks for it.
 * They fork off earlier answers at the tokens of which the model was least sure (core/completion/fork_order.ts), so that the KV cache has
 * all of them up to there.
 */
import { answerOf, anyAnswer, type Fork, ForkOrder } from '../completion/fork_order';
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

/** More than three nobody looks through. */
export const MOST_CANDIDATES = 3;
/** Answers that are tried for another one; what changes nothing, breaks the text or is there already is none. */
const MOST_TRIED = 4;
/** What cannot be more probable than this is not tried: where a grammar leaves no choice, that is the same text in odd tokens. */
const LEAST_PROBABILITY = 0.005;

export class EditCandidates {
  private readonly parts: EditParts;
  private readonly request: EditRequest;
  private question: EditQuestion | undefined;
  private readonly order = new ForkOrder<undefined>(LEAST_PROBABILITY);
  /** The documents that would come of what was proposed, without their blanks. */
  private readonly proposed = new Set<string>();
  private found = 0;
  private asked = false;

  /** @param known Proposed before: nobody who wants it otherwise wants it again. */
  constructor(parts: EditParts, request: EditRequest, known?: EditProposal) {
    this.parts = parts;
    this.request = request;
    if (known !== undefined) this.proposed.add(this.resultOf(known));
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
    const first = !this.asked;
    if (first) this.order.put(anyAnswer(undefined, 1));
    this.asked = true;
    if (this.found >= MOST_CANDIDATES) return ended('no_other');
    // Of the first answer to an instruction it is told what is wrong with it.
    const tellsWhy = first && this.proposed.size === 0;
    for (let tried = 0; tried < MOST_TRIED; tried++) {
      const fork = this.order.next();
      if (fork === undefined) break;
      const proposal = await this.ask(this.question, fork, signal, onProgress);
      if (tellsWhy || proposal.completion === undefined || proposal.ending === 'cancelled') return proposal;
      if (proposal.ending === 'proposed') return proposal;
    }
    return ended('no_other');
  }

  /** Frees the grammar. Nothing is asked afterwards. */
  close(): void {
    this.question?.close();
  }

  /** One that was proposed before ends as `unchanged`. */
  private async ask(
    question: EditQuestion,
    fork: Fork<undefined>,
    signal: AbortSignal,
    onProgress?: (piece: string) => void,
  ): Promise<EditProposal> {
    const begun = fork.lead.ids.length > 0 || fork.barred.length > 0;
    const proposal = await editAnswer(
      this.parts,
      this.request,
      question,
      signal,
      onProgress,
      begun ? fork : undefined,
    );
    const { completion, ending } = proposal;
    if (completion === undefined || ending === 'cancelled') {
      this.order.put(fork);
      return proposal;
    }
    this.order.add(fork, answerOf(completion), completion.barredProbability);
    if (ending !== 'proposed') return proposal;
    const result = this.resultOf(proposal);
    if (this.proposed.has(result)) return { ...ended('unchanged'), completion };
    this.proposed.add(result);
    this.found++;
    return proposal;
  }

  private resultOf({ replacements }: EditProposal): string {
    return applied(this.request.text, replacements).replace(/\s+/g, '');
  }
}
