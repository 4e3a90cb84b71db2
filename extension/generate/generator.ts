/** Generating at the cursor: the model goes on, and its text grows in the editor until it is over or someone stops it. Others can be looked at in its place. */
import * as vscode from 'vscode';
import type { Asking } from '../../core/completion/asking';
import type { DocumentSnapshot } from '../../core/completion/document';
import type { GenerationEngine } from '../../core/completion/engine_port';
import { askedOptions, type CompletionOptions } from '../../core/completion/options';
import type { OtherText } from '../../core/completion/references';
import { REASON_OF_STATE, REASONS } from '../../core/completion/reasons';
import { refusal } from '../../core/completion/trigger';
import { snapshotOf } from '../editor/editor_snapshot';
import type { NativeCompletion } from '../../core/engine/native_types';
import type { NativeError } from '../../core/engine/native_result';
import { ENDINGS, type Ending } from '../../core/generate/endings';
import { type MadeText, TextMaker } from '../../core/generate/text_maker';
import { setContextKey } from '../context_keys';
import { askAgain } from '../edit/ask_again';
import { Insertion } from './insertion';
import type { GenerateOptions } from '../../core/generate/options';
import type { PartialQuestion } from './partial_question';
import { type Looked, looksElsewhere, TextReview } from './text_review';

/** How long it is said which text of how many stands there, ms. */
const SAID_MS = 5_000;

/** One run of the command. */
export interface Generation {
  readonly ending: Ending;
  /** One sentence for whoever asked. */
  readonly sentence: string;
  /** What it left in the document. */
  readonly text: string;
  /** What the engine did, where it was asked and answered. */
  readonly completion?: NativeCompletion;
  readonly error?: NativeError;
}

interface Running {
  readonly controller: AbortController;
  /** Undefined where another text is made for the place of one that stands. */
  readonly insertion?: Insertion;
  stopped: boolean;
}

export interface GeneratorOptions {
  readonly completion: CompletionOptions;
  readonly generate: GenerateOptions;
}

export class Generator implements vscode.Disposable {
  private readonly asking: Asking<GenerationEngine>;
  private readonly options: () => GeneratorOptions;
  private readonly maker: TextMaker;
  private readonly question: PartialQuestion;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly finished = new vscode.EventEmitter<Generation>();
  private current: Running | undefined;
  private review: TextReview | undefined;

  /** Fires when generating begins and ends. */
  readonly onDidChange = this.changed.event;
  readonly onDidFinish = this.finished.event;

  /**
   * @param asking Whom it asks.
   * @param beside Texts of files other than that of the given URI, nearest first.
   * @param question Asks what becomes of partial text.
   */
  constructor(
    asking: Asking<GenerationEngine>,
    options: () => GeneratorOptions,
    beside: (uri: string) => readonly OtherText[],
    question: PartialQuestion,
  ) {
    this.asking = asking;
    this.options = options;
    const requestOptions = (): CompletionOptions => {
      const { completion, generate } = options();
      return { ...completion, maxTokens: generate.maxTokens };
    };
    this.maker = new TextMaker({ asking, options: requestOptions, beside });
    this.question = question;
  }

  get running(): boolean {
    return this.current !== undefined;
  }

  /** Never rejects: what goes wrong is an ending. Settles when the text is in the document. */
  async generate(editor: vscode.TextEditor | undefined): Promise<Generation> {
    if (editor === undefined) return ended('no_editor');
    if (this.current !== undefined) return ended('already_running');
    const document = snapshotOf(editor.document, editor.selection.active);
    const reason = refusal(document, askedOptions(this.options().completion));
    if (reason !== undefined) return { ...ended('not_here'), sentence: REASONS[reason] };
    const { state } = this.asking;
    if (state !== 'ready') return { ...ended('not_ready'), sentence: REASONS[REASON_OF_STATE[state]] };
    this.review?.dispose();
    const before = editor.document.getText();
    const offset = editor.document.offsetAt(editor.selection.active);
    const insertion = this.begin(editor);
    const { made, ...generation } = await this.run(insertion, document);
    this.enter(undefined);
    if (generation.ending === 'stopped' && generation.text !== '') void this.settle(insertion);
    else insertion.dispose();
    if (
      generation.ending === 'finished' &&
      !looksElsewhere(vscode.window.activeTextEditor, editor.document)
    ) {
      const place = { document: editor.document, snapshot: document, before, offset };
      this.offer(new TextReview(this.maker, place, made, () => this.withdraw()));
    }
    this.finished.fire(generation);
    return generation;
  }

  /** Shows another text in the place of the one that was generated last: behind the last one, the model makes it. Says how that ended. */
  choose(choice: 'next' | 'previous'): Promise<Generation> {
    return this.look((review, signal) => (choice === 'next' ? review.next(signal) : review.previous()));
  }

  /**
   * A text that is otherwise, in the place of the one that stands there.
   * @param given What is to be otherwise; the user is asked where it is left out.
   */
  async again(given?: string): Promise<Generation> {
    const { review } = this;
    if (review === undefined || this.current !== undefined) return ended('nothing_generated');
    const instruction = await askAgain(given);
    if (instruction === undefined) return ended('stopped');
    // Whoever wrote it has to know: an editor may have saved the document meanwhile, and laid it out.
    if (review !== this.review) return ended('edited');
    return this.look((_, signal) => review.again(instruction, signal));
  }

  /** What was generated stays; another model has other tokens, and forks off none of its texts. */
  reset(): void {
    this.review?.dispose();
  }

  /** Stops what runs; its text stays or goes as the settings say. */
  stop(): void {
    if (this.current === undefined) return;
    this.current.stopped = true;
    this.current.controller.abort();
  }

  dispose(): void {
    this.current?.controller.abort();
    this.current?.insertion?.dispose();
    this.review?.dispose();
    this.changed.dispose();
    this.finished.dispose();
  }

  private begin(editor: vscode.TextEditor): Insertion {
    const controller = new AbortController();
    const interrupted = (): void => controller.abort();
    const insertion = new Insertion(editor.document, editor.selection.active, interrupted);
    this.enter({ insertion, controller, stopped: false });
    return insertion;
  }

  private enter(running: Running | undefined): void {
    this.current = running;
    this.changed.fire();
  }

  private async run(
    insertion: Insertion,
    document: DocumentSnapshot,
  ): Promise<Generation & { readonly made: MadeText }> {
    const running = this.current;
    const { signal } = running?.controller ?? new AbortController();
    const made = await this.maker.make(document, { signal, onText: (piece) => insertion.write(piece) });
    const { answer } = made;
    // Whoever stops it from here on is too late: the text is over. An engine that is restarted stops it as well.
    const stopped = running?.stopped === true || (answer.ok && !made.whole);
    if (stopped && this.options().generate.keepPartial === 'drop') await insertion.drop(false);
    else await insertion.finish(made.replaced);
    const { text, interruption } = insertion;
    if (!answer.ok)
      return { ...ended('failed'), sentence: answer.error.message, text, error: answer.error, made };
    const ending = interruption ?? (stopped ? 'stopped' : text === '' ? 'nothing' : 'finished');
    return { ...ended(ending), text, completion: answer.value, made };
  }

  private offer(review: TextReview | undefined): void {
    this.review = review;
    setContextKey('generated', review !== undefined);
  }

  private withdraw(): void {
    // Nobody waits for a text whose place is no more.
    if (this.current?.insertion === undefined) this.current?.controller.abort();
    this.offer(undefined);
  }

  private async look(
    look: (review: TextReview, signal: AbortSignal) => Promise<Looked>,
  ): Promise<Generation> {
    const { review } = this;
    if (review === undefined) return ended('nothing_generated');
    if (this.current !== undefined) return ended('already_running');
    const controller = new AbortController();
    const { count } = review;
    this.enter({ controller, stopped: false });
    const looked = await look(review, controller.signal);
    this.enter(undefined);
    const generation = lookedAt(looked, review);
    if (looked === 'shown') {
      const said = vscode.l10n.t('Emberline: text {0} of {1}', review.index + 1, review.count);
      void vscode.window.setStatusBarMessage(said, SAID_MS);
    }
    // What stood there before was told of then.
    if (review.count > count || generation.error !== undefined) this.finished.fire(generation);
    return generation;
  }

  /** Partial text stays until the user has said what becomes of it. */
  private async settle(insertion: Insertion): Promise<void> {
    const { keepPartial } = this.options().generate;
    if (keepPartial === 'ask' && !(await this.question.keeps())) {
      const why = await insertion.drop(true);
      if (why !== undefined) this.question.stays(why);
    }
    insertion.dispose();
  }
}

const ENDING_OF_LOOK: Readonly<Record<Extract<Looked, string>, Ending>> = {
  shown: 'finished',
  none: 'no_other',
  cancelled: 'stopped',
  over: 'edited',
};

function lookedAt(looked: Looked, { current }: TextReview): Generation {
  if (typeof looked !== 'string') {
    const { answer } = looked;
    if (answer.ok) return ended('stopped');
    return { ...ended('failed'), sentence: answer.error.message, error: answer.error };
  }
  const ending = ENDING_OF_LOOK[looked];
  if (looked !== 'shown' || current === undefined) return ended(ending);
  const { answer, text } = current;
  return { ...ended(ending), text, ...(answer.ok && { completion: answer.value }) };
}

function ended(ending: Ending): Generation {
  return { ending, sentence: ENDINGS[ending], text: '' };
}
