/**
 * Ghost text for VS Code. An edit cancels what runs for its document in the event handler itself, so the engine
 * stops before the editor even asks again. Once the cursor has followed a key, what the editor will ask there is begun.
 */
import * as vscode from 'vscode';
import type { CommitBox } from '../editor/commit_box';
import { AheadOfEditor } from './ahead_of_editor';
import { replacementsOf } from '../editor/replacements';
import { placeAfter, placeBefore } from '../editor/text_around';
import { Alternatives } from '../../core/completion/alternatives';
import type { DocumentSnapshot } from '../../core/completion/document';
import type { CompletionOptions } from '../../core/completion/options';
import type { Seen } from '../../core/completion/deletions';
import { Suggestions } from '../../core/completion/suggestions';
import { TakenBack } from '../../core/completion/taken_back';
import { type CompletionOutcome, nothing } from '../../core/completion/outcome';
import type { CompletionPipeline, SuggestionRequest } from '../../core/completion/pipeline';
import type { CountedRequest } from '../../core/statistics/session_statistics';
import { setContextKey } from '../context_keys';
import type { EngineLifecycle } from '../engine_lifecycle';
import type { Surroundings } from '../editor/surroundings';

/** A request that came to an end, whatever the end; its times are of `performance.now()`. */
export type FinishedRequest = CountedRequest;

/** What somebody may delete with a few keys, UTF-16 units. */
const UNITS_AROUND = 500;
/** Of a selection that may be deleted, UTF-16 units. */
const MOST_UNITS = 5_000;

/** What is on the screen, unless the document changed since, or the cursor moved. */
interface Shown {
  readonly document: DocumentSnapshot;
  readonly outcome: CompletionOutcome;
}

interface Running {
  readonly uri: string;
  readonly controller: AbortController;
}

/** What is asked of what there is beside a document. */
type Others = Pick<Surroundings, 'beside' | 'snippets' | 'clipboard'>;

/** A place in an editor. */
interface Place {
  readonly document: vscode.TextDocument;
  readonly position: vscode.Position;
}

export class GhostTextProvider implements vscode.InlineCompletionItemProvider, vscode.Disposable {
  private readonly suggestions: Suggestions;
  private readonly alternatives: Alternatives;
  private readonly others: Others;
  private readonly commits: Pick<CommitBox, 'around'>;
  private readonly engine: Pick<EngineLifecycle, 'settled'>;
  private readonly takenBack = new TakenBack();
  private readonly ahead: AheadOfEditor;
  private readonly running = new Set<Running>();
  /** What goes on behind a suggestion that is shown. */
  private going: Running | undefined;
  private readonly started = new vscode.EventEmitter<string>();
  private readonly finished = new vscode.EventEmitter<FinishedRequest>();
  private readonly subscriptions: readonly vscode.Disposable[];
  private sequence = 0;
  private shown: Shown | undefined;
  /** The next request is one of `askAgain`. */
  private askingAgain = false;
  /** Settles when what was shown and gave way has its successor on the screen. */
  private replaced: Promise<unknown> = Promise.resolve();

  /** Fires with the URI of a document in which something is asked. */
  readonly onDidStart = this.started.event;
  readonly onDidFinish = this.finished.event;

  /**
   * @param others What there is beside a document.
   * @param commits Knows what is committed, where a message for it is written.
   * @param engine Whom the pipeline asks.
   */
  constructor(
    pipeline: CompletionPipeline,
    options: () => CompletionOptions,
    others: Others,
    commits: Pick<CommitBox, 'around'>,
    engine: Pick<EngineLifecycle, 'settled'>,
  ) {
    this.suggestions = new Suggestions(pipeline, options);
    this.alternatives = new Alternatives(this.suggestions, options);
    this.others = others;
    this.commits = commits;
    this.engine = engine;
    this.ahead = new AheadOfEditor(this.suggestions, others);
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument((event) => {
        const uri = event.document.uri.toString();
        // The event also tells of a changed dirty flag, with no changes.
        if (event.contentChanges.length > 0) this.cancel(uri);
        for (const change of replacementsOf(event)) this.takenBack.changed(uri, change);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        const uri = document.uri.toString();
        this.cancel(uri);
        this.takenBack.forget(uri);
        pipeline.forget(uri);
        this.suggestions.forget(uri);
        this.alternatives.forget(uri);
        if (this.shown?.document.uri === uri) this.shown = undefined;
      }),
      vscode.window.onDidChangeTextEditorSelection(
        ({ textEditor: { document }, selections: [selection] }) => {
          if (selection !== undefined) this.takenBack.look(around(document, selection));
        },
      ),
    ];
  }

  /** Requests that have not come to an end. */
  get pending(): number {
    return this.running.size;
  }

  /** Whether the lines behind a suggestion are under way. */
  get goesOn(): boolean {
    return this.going !== undefined;
  }

  async provideInlineCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    // One suggestion at a time is all a user can look at.
    this.cancelAsked();
    const askedMs = performance.now();
    const { version } = document;
    const sequence = ++this.sequence;
    const explicit = context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke && !this.askingAgain;
    this.askingAgain = false;
    const running: Running = { uri: document.uri.toString(), controller: new AbortController() };
    this.running.add(running);
    const onCancel = token.onCancellationRequested(() => running.controller.abort());
    if (token.isCancellationRequested) running.controller.abort();
    this.started.fire(running.uri);
    const { signal } = running.controller;
    const inList = context.selectedCompletionInfo !== undefined;
    let outcome = nothing('cancelled');
    let others: readonly CompletionOutcome[] = [];
    try {
      const own = this.ahead.asked(document, position, context.selectedCompletionInfo, explicit);
      const snapshot =
        own.kind === 'source_control' ? await this.commits.around(own, document, explicit) : own;
      this.takenBack.look(around(document, new vscode.Range(position, position)));
      if (!inList) {
        const { before } = snapshot;
        this.takenBack.asked({ uri: running.uri, before, offset: document.offsetAt(position) });
        this.suggestions.seen(snapshot);
      }
      const outcomes = await this.complete(snapshot, context, explicit, signal);
      outcome = outcomes[0] ?? outcome;
      others = outcomes.slice(1);
      if (outcome.shown && document.version !== version)
        outcome = { ...outcome, shown: false, reason: 'stale' };
      if (outcome.shown && signal.aborted) outcome = { ...outcome, shown: false, reason: 'cancelled' };
      if (!outcome.shown) return [];
      if (!inList) {
        const { uri, before, after } = snapshot;
        const offset = document.offsetAt(position);
        const { text, replace } = outcome;
        this.takenBack.offered({ uri, before, offset, text, replaced: after.slice(0, replace) });
        this.shown = { document: snapshot, outcome };
        if (outcome.goesOn === true) void this.goOn(this.shown, { document, position });
      }
      return outcomes.map((one) => itemOf(one, position, context.selectedCompletionInfo));
    } finally {
      onCancel.dispose();
      this.running.delete(running);
      const asked = {
        sequence,
        uri: running.uri,
        languageId: document.languageId,
        version,
        explicit,
        inList,
      };
      const offset = document.offsetAt(position);
      const answeredMs = performance.now();
      this.finished.fire({ ...asked, offset, outcome, others, askedMs, answeredMs });
    }
  }

  /**
   * Has the editor ask at the cursor, as if the user did.
   * @param instead What is shown gives way: the editor would go on showing it. Both happen in one go, so that the eye does not see it; a Tab
   *   that comes between waits for `accept`.
   */
  async trigger(instead = false): Promise<void> {
    const hide = instead ? ['editor.action.inlineSuggest.hide'] : [];
    if (instead) setContextKey('replacing', true);
    const asked = vscode.commands.executeCommand('runCommands', {
      commands: [...hide, 'editor.action.inlineSuggest.trigger'],
    });
    if (instead) this.replaced = Promise.resolve(asked).catch(() => undefined);
    try {
      await asked;
    } finally {
      if (instead) setContextKey('replacing', false);
    }
  }

  /** Has the editor ask at the cursor. It says that the user asked for it; the request is judged as if nobody did. */
  async askAgain(instead = false): Promise<void> {
    this.askingAgain = true;
    try {
      await this.trigger(instead);
    } finally {
      // The editor may have had no reason to ask.
      this.askingAgain = false;
    }
  }

  /** What Tab does while one suggestion takes the place of another: the new one is taken. */
  async accept(): Promise<void> {
    await this.replaced;
    await vscode.commands.executeCommand('editor.action.inlineSuggest.commit');
  }

  /** Whoever uses the editor does not want what is shown. */
  dismiss(): void {
    this.takenBack.dismissed();
  }

  /** Has what follows the suggestion on the screen computed, so that it is there once that is accepted. Never rejects. */
  async prepareNext({ uri, before, after }: DocumentSnapshot, signal: AbortSignal): Promise<void> {
    if (this.shown === undefined) return;
    const { document, outcome } = this.shown;
    if (document.uri !== uri || document.before !== before || document.after !== after) return;
    await this.suggestions.prepareNext(this.requestFor(document, signal), outcome);
  }

  /** Cancels the requests of one document, or all, and what was to be the next one. */
  cancel(uri?: string): void {
    this.suggestions.forgetForeseen(uri);
    this.cancelAsked(uri);
  }

  /** Another model has other suggestions. */
  reset(): void {
    this.alternatives.reset();
  }

  dispose(): void {
    this.cancel();
    this.ahead.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
    this.started.dispose();
    this.finished.dispose();
  }

  private cancelAsked(uri?: string): void {
    const all = this.going === undefined ? this.running : [...this.running, this.going];
    for (const request of all) {
      if (uri === undefined || request.uri === uri) request.controller.abort();
    }
  }

  /** Asks for the lines behind a suggestion that did not wait for them, and has the editor show them below it. Never rejects. */
  private async goOn(shown: Shown, place: Place): Promise<void> {
    const { document, outcome } = shown;
    const { uri } = document;
    const going: Running = { uri, controller: new AbortController() };
    this.going = going;
    const { signal } = going.controller;
    const whole = await this.suggestions.complete(this.requestFor(document, signal));
    if (this.going === going) this.going = undefined;
    if (signal.aborted || this.shown !== shown || !whole.shown || whole.text === outcome.text) return;
    if (isAt(vscode.window.activeTextEditor, place)) await this.askAgain(true).catch(() => undefined);
  }

  private async complete(
    document: DocumentSnapshot,
    { selectedCompletionInfo: selected }: vscode.InlineCompletionContext,
    explicit: boolean,
    signal: AbortSignal,
  ): Promise<readonly CompletionOutcome[]> {
    if (selected !== undefined && /[\r\n]/.test(selected.text)) return [nothing('suggest_widget')];
    const { uri, before } = document;
    const request = this.requestFor(document, signal);
    if (explicit) return this.completeAsked({ ...request, clipboard: await this.others.clipboard() });
    return [this.unlessTakenBack(uri, before, await this.suggestions.begin(request))];
  }

  /** Who asks waits for the model: asked once more at the same place, the editor would say what it knows. */
  private async completeAsked(request: SuggestionRequest): Promise<readonly CompletionOutcome[]> {
    for (;;) {
      const outcomes = await this.alternatives.complete(request);
      if (outcomes[0]?.reason !== 'model_loading' || request.signal.aborted) return outcomes;
      await this.engine.settled(request.signal);
    }
  }

  private requestFor(document: DocumentSnapshot, signal: AbortSignal): SuggestionRequest {
    const { beside, snippets } = this.others;
    return { document, signal, beside: beside(document.uri), snippets };
  }

  private unlessTakenBack(uri: string, before: string, outcome: CompletionOutcome): CompletionOutcome {
    if (!outcome.shown || !this.takenBack.has(uri, before, outcome.text)) return outcome;
    return { ...outcome, shown: false, reason: 'taken_back' };
  }
}

/** The text of a range, and some on both sides. By lines: an offset that is looked for among those of all lines takes as long as the document is. */
function around(document: vscode.TextDocument, { start, end }: vscode.Range): Seen {
  const from = placeBefore(document, start, UNITS_AROUND);
  const last = placeAfter(document, start, MOST_UNITS);
  const to = placeAfter(document, last.isBefore(end) ? last : end, UNITS_AROUND);
  const text = document.getText(new vscode.Range(from, to));
  return { uri: document.uri.toString(), start: document.offsetAt(from), text };
}

/** Whether the cursor is still there, in the editor one types in. */
function isAt(editor: vscode.TextEditor | undefined, { document, position }: Place): boolean {
  return editor?.document === document && editor.selection.active.isEqual(position);
}

/** The editor wants an item to extend the highlighted entry of the suggestion list, over the same range. */
function itemOf(
  outcome: CompletionOutcome,
  position: vscode.Position,
  selected: vscode.SelectedCompletionInfo | undefined,
): vscode.InlineCompletionItem {
  const start = selected?.range.start ?? position;
  const end = selected?.range.end ?? position;
  const range = new vscode.Range(start, end.translate(0, outcome.replace));
  return new vscode.InlineCompletionItem((selected?.text ?? '') + outcome.text, range);
}
