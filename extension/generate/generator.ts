/** Generating at the cursor: the model goes on, and its text grows in the editor until it is over or someone stops it. */
import * as vscode from 'vscode';
import type { Asking, Question } from '../../core/completion/asking';
import { type DocumentSnapshot, lineAfter } from '../../core/completion/document';
import type { GenerationEngine } from '../../core/completion/engine_port';
import type { EngineAnswer } from '../../core/engine/engine_request';
import type { CompletionOptions } from '../../core/completion/options';
import { postprocess } from '../../core/completion/postprocess';
import type { OtherText } from '../../core/completion/references';
import { REASON_OF_STATE, REASONS } from '../../core/completion/reasons';
import { refusal } from '../../core/completion/trigger';
import { snapshotOf } from '../editor/editor_snapshot';
import type { NativeCompletion } from '../../core/engine/native_types';
import type { NativeError } from '../../core/engine/native_result';
import { ENDINGS, type Ending } from '../../core/generate/endings';
import { GeneratedText } from '../../core/generate/generated_text';
import { Insertion } from './insertion';
import type { GenerateOptions } from '../../core/generate/options';
import type { PartialQuestion } from './partial_question';

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

/** What the engine made of a request. */
interface Made {
  readonly answer: EngineAnswer;
  /** What of it is still to be written. */
  readonly rest: string;
  /** What gives way to that, right of the cursor. */
  readonly replaced: string;
}

interface Running {
  readonly insertion: Insertion;
  readonly controller: AbortController;
  stopped: boolean;
}

export interface GeneratorOptions {
  readonly completion: CompletionOptions;
  readonly generate: GenerateOptions;
}

export class Generator implements vscode.Disposable {
  private readonly asking: Asking<GenerationEngine>;
  private readonly options: () => GeneratorOptions;
  private readonly beside: (uri: string) => readonly OtherText[];
  private readonly question: PartialQuestion;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly finished = new vscode.EventEmitter<Generation>();
  private current: Running | undefined;

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
    this.beside = beside;
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
    const reason = refusal(document, asked(this.options().completion));
    if (reason !== undefined) return { ...ended('not_here'), sentence: REASONS[reason] };
    const { state } = this.asking;
    if (state !== 'ready') return { ...ended('not_ready'), sentence: REASONS[REASON_OF_STATE[state]] };
    const running = this.begin(editor);
    const generation = await this.run(running, document);
    this.enter(undefined);
    const { insertion } = running;
    if (generation.ending === 'stopped' && generation.text !== '') void this.settle(insertion);
    else insertion.dispose();
    this.finished.fire(generation);
    return generation;
  }

  /** Stops what runs; its text stays or goes as the settings say. */
  stop(): void {
    if (this.current === undefined) return;
    this.current.stopped = true;
    this.current.controller.abort();
  }

  dispose(): void {
    this.current?.controller.abort();
    this.current?.insertion.dispose();
    this.changed.dispose();
    this.finished.dispose();
  }

  private begin(editor: vscode.TextEditor): Running {
    const controller = new AbortController();
    const interrupted = (): void => controller.abort();
    const insertion = new Insertion(editor.document, editor.selection.active, interrupted);
    const running = { insertion, controller, stopped: false };
    this.enter(running);
    return running;
  }

  private enter(running: Running | undefined): void {
    this.current = running;
    this.changed.fire();
  }

  private async run(running: Running, document: DocumentSnapshot): Promise<Generation> {
    const { insertion } = running;
    const within = lineAfter(document).trim() !== '';
    const made = await (within ? this.line(running, document) : this.lines(running, document));
    const { answer, rest, replaced } = made;
    // Whoever stops it from here on is too late: the text is over.
    const { stopped } = running;
    if (stopped && this.options().generate.keepPartial === 'drop') {
      await insertion.drop(false);
    } else {
      insertion.write(rest);
      await insertion.finish(replaced);
    }
    const { text, interruption } = insertion;
    if (!answer.ok) return { ...ended('failed'), sentence: answer.error.message, text, error: answer.error };
    const ending = interruption ?? (stopped ? 'stopped' : text === '' ? 'nothing' : 'finished');
    return { ...ended(ending), text, completion: answer.value };
  }

  /** Lines that grow while they are made, until they are over. */
  private async lines({ insertion, controller }: Running, document: DocumentSnapshot): Promise<Made> {
    const generated = new GeneratedText(document);
    const onText = (piece: string): void => {
      insertion.write(generated.add(piece));
      if (generated.over) controller.abort();
    };
    const answer = await this.ask(document, {
      signal: controller.signal,
      send: (engine, request, signal, told) => engine.generate(request, signal, told),
      onText,
    });
    const rest = answer.ok && answer.value.stop !== 'cancelled' ? generated.end() : '';
    return { answer, rest, replaced: '' };
  }

  /** Something stands right of the cursor: the rest of the line alone, as a suggestion would be fitted to it. */
  private async line({ controller }: Running, document: DocumentSnapshot): Promise<Made> {
    const answer = await this.ask(document, {
      signal: controller.signal,
      send: (engine, request, signal) => engine.complete(request, signal),
    });
    if (!answer.ok || answer.value.stop === 'cancelled') return { answer, rest: '', replaced: '' };
    const { text, replace, reason } = postprocess(answer.value.text, answer.value.stop, document);
    return { answer, rest: reason === undefined ? text : '', replaced: document.after.slice(0, replace) };
  }

  private async ask(
    document: DocumentSnapshot,
    question: Omit<Question<GenerationEngine>, 'place'>,
  ): Promise<EngineAnswer> {
    const { completion, generate } = this.options();
    const options = { ...completion, maxTokens: generate.maxTokens };
    const place = { document, options, beside: this.beside(document.uri) };
    return (await this.asking.ask({ ...question, place })).answer;
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

function ended(ending: Ending): Generation {
  return { ending, sentence: ENDINGS[ending], text: '' };
}

/** A text that was asked for is made where suggestions are turned off, too; files with secrets stay alone. */
function asked(options: CompletionOptions): CompletionOptions {
  return { ...options, enabled: true, languages: { '*': true, scminput: true } };
}
