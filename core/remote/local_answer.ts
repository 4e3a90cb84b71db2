/** What the engine of this machine says beside a remote one: begun before its turn, it keeps what it has until then. */
import type { Asking, Question, Reply } from '../completion/asking';
import type { GenerationEngine } from '../completion/engine_port';
import { LinkedAbort } from './abort';

export class LocalAnswer {
  private readonly asking: Asking<GenerationEngine>;
  private readonly question: Question<GenerationEngine>;
  private readonly settle: (reply: Reply) => void;
  private readonly near: LinkedAbort;
  private begun = false;
  private isTaken = false;
  private reply: Reply | undefined;
  /** Pieces of the text from before its turn. */
  private kept = '';

  /** @param settle Called with the answer once it is taken, or the question was cancelled. */
  constructor(
    asking: Asking<GenerationEngine>,
    question: Question<GenerationEngine>,
    settle: (reply: Reply) => void,
  ) {
    this.asking = asking;
    this.question = question;
    this.settle = settle;
    this.near = new LinkedAbort(question.signal);
  }

  /** Asks, where that was not done yet; nobody hears of it. */
  begin(): void {
    if (this.begun) return;
    this.begun = true;
    const { question, near } = this;
    const { onText } = question;
    const told = onText === undefined ? {} : { onText: (piece: string) => this.tell(piece, onText) };
    void this.asking.ask({ ...question, ...told, signal: near.signal }).then((reply) => {
      this.reply = reply;
      near.release();
      if (this.isTaken) this.settle(reply);
    });
  }

  /** From here on it is the answer, with what there is of it. */
  take(): void {
    if (this.isTaken) return;
    this.isTaken = true;
    this.begin();
    const { kept } = this;
    this.kept = '';
    if (kept !== '') this.question.onText?.(kept);
    if (this.reply !== undefined) this.settle(this.reply);
  }

  /** Another answer is taken. */
  cancel(): void {
    this.near.abort();
  }

  private tell(piece: string, onText: (piece: string) => void): void {
    if (this.isTaken) onText(piece);
    else if (!this.near.signal.aborted) this.kept += piece;
  }
}
