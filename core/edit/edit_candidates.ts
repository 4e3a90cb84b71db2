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
  private asked = false;

  constructor(parts: EditParts, request: EditRequest) {
    this.parts = parts;
    this.request = request;
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
    if (this.proposed.size >= MOST_CANDIDATES) return ended('no_other');
    for (let tried = 0; tried < (first ? 1 : MOST_TRIED); tried++) {
      const fork = this.order.next();
      if (fork === undefined) break;
      const proposal = await this.ask(this.question, fork, signal, onProgress);
      if (first || proposal.completion === undefined || proposal.ending === 'cancelled') return proposal;
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
    const result = applied(this.request.text, proposal.replacements).replace(/\s+/g, '');
    if (this.proposed.has(result)) return { ...ended('unchanged'), completion };
    this.proposed.add(result);
    return proposal;
  }
}
