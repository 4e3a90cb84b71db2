/**
 * Ghost text for VS Code. An edit cancels what runs for its document in the event handler itself, so the engine
 * stops before the editor even asks again.
 */
import * as vscode from 'vscode';
import { snapshotOf } from '../editor/editor_snapshot';
import { Alternatives } from '../../core/completion/alternatives';
import type { DocumentSnapshot } from '../../core/completion/document';
import type { CompletionOptions } from '../../core/completion/options';
import { TakenBack } from '../../core/completion/taken_back';
import { type CompletionOutcome, type CompletionPipeline, nothing } from '../../core/completion/pipeline';

/** A request that came to an end, whatever the end. */
export interface FinishedRequest {
  /** 1 for the first request of the session. */
  readonly sequence: number;
  readonly uri: string;
  readonly languageId: string;
  /** The document's version the request was made for. */
  readonly version: number;
  readonly outcome: CompletionOutcome;
}

interface Running {
  readonly uri: string;
  readonly controller: AbortController;
}

export class GhostTextProvider implements vscode.InlineCompletionItemProvider, vscode.Disposable {
  private readonly pipeline: CompletionPipeline;
  private readonly alternatives: Alternatives;
  private readonly beside: (uri: string) => readonly string[];
  private readonly takenBack = new TakenBack();
  private readonly running = new Set<Running>();
  private readonly started = new vscode.EventEmitter<void>();
  private readonly finished = new vscode.EventEmitter<FinishedRequest>();
  private readonly subscriptions: readonly vscode.Disposable[];
  private sequence = 0;
  /** The next request is one of `askAgain`. */
  private askingAgain = false;

  readonly onDidStart = this.started.event;
  readonly onDidFinish = this.finished.event;

  /** @param beside Texts of files other than that of the given URI, nearest first. */
  constructor(
    pipeline: CompletionPipeline,
    options: () => CompletionOptions,
    beside: (uri: string) => readonly string[],
  ) {
    this.pipeline = pipeline;
    this.alternatives = new Alternatives(pipeline, options);
    this.beside = beside;
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument((event) => {
        const uri = event.document.uri.toString();
        // The event also tells of a changed dirty flag, with no changes.
        if (event.contentChanges.length > 0) this.cancel(uri);
        for (const { rangeOffset, rangeLength, text } of event.contentChanges)
          this.takenBack.changed(uri, { offset: rangeOffset, removed: rangeLength, inserted: text });
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        const uri = document.uri.toString();
        this.cancel(uri);
        this.takenBack.forget(uri);
        pipeline.forget(uri);
      }),
    ];
  }

  /** Requests that have not come to an end. */
  get pending(): number {
    return this.running.size;
  }

  async provideInlineCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    // One suggestion at a time is all a user can look at.
    this.cancel();
    const { version } = document;
    const sequence = ++this.sequence;
    const explicit = context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke && !this.askingAgain;
    this.askingAgain = false;
    const running: Running = { uri: document.uri.toString(), controller: new AbortController() };
    this.running.add(running);
    const onCancel = token.onCancellationRequested(() => running.controller.abort());
    if (token.isCancellationRequested) running.controller.abort();
    this.started.fire();
    const { signal } = running.controller;
    let outcome = nothing('cancelled');
    try {
      const snapshot = snapshotOf(document, position, context.selectedCompletionInfo);
      const outcomes = await this.complete(snapshot, context, explicit, signal);
      outcome = outcomes[0] ?? outcome;
      if (outcome.shown && document.version !== version)
        outcome = { ...outcome, shown: false, reason: 'stale' };
      if (outcome.shown && signal.aborted) outcome = { ...outcome, shown: false, reason: 'cancelled' };
      if (!outcome.shown) return [];
      if (context.selectedCompletionInfo === undefined) {
        const { uri, before } = snapshot;
        const offset = document.offsetAt(position);
        this.takenBack.offered({ uri, before, offset, text: outcome.text });
      }
      return outcomes.map((one) => itemOf(one, position, context.selectedCompletionInfo));
    } finally {
      onCancel.dispose();
      this.running.delete(running);
      this.finished.fire({ sequence, uri: running.uri, languageId: document.languageId, version, outcome });
    }
  }

  /** Makes the editor ask at the cursor. It says that the user asked for it; the request is judged as if nobody did. */
  async askAgain(): Promise<void> {
    this.askingAgain = true;
    try {
      await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
    } finally {
      // The editor may have had no reason to ask.
      this.askingAgain = false;
    }
  }

  /** Cancels the requests of one document, or all. */
  cancel(uri?: string): void {
    for (const request of this.running) {
      if (uri === undefined || request.uri === uri) request.controller.abort();
    }
  }

  dispose(): void {
    this.cancel();
    for (const subscription of this.subscriptions) subscription.dispose();
    this.started.dispose();
    this.finished.dispose();
  }

  private async complete(
    document: DocumentSnapshot,
    { selectedCompletionInfo: selected }: vscode.InlineCompletionContext,
    explicit: boolean,
    signal: AbortSignal,
  ): Promise<readonly CompletionOutcome[]> {
    if (selected !== undefined && /[\r\n]/.test(selected.text)) return [nothing('suggest_widget')];
    const { uri, before } = document;
    const request = { document, signal, beside: this.beside(uri) };
    if (explicit) return this.alternatives.complete(request);
    return [this.unlessTakenBack(uri, before, await this.pipeline.complete(request))];
  }

  private unlessTakenBack(uri: string, before: string, outcome: CompletionOutcome): CompletionOutcome {
    if (!outcome.shown || !this.takenBack.has(uri, before, outcome.text)) return outcome;
    return { ...outcome, shown: false, reason: 'taken_back' };
  }
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
