/** Uses the time while a cursor rests: the model reads the text around it (core/completion/preparation.ts), then goes on behind what is shown. */
import * as vscode from 'vscode';
import type { CompletionEngine } from '../../core/completion/engine_port';
import type { DocumentSnapshot } from '../../core/completion/document';
import type { CompletionOptions } from '../../core/completion/options';
import { prepare } from '../../core/completion/preparation';
import type { PromptWriter } from '../../core/completion/prompt_writer';
import { snapshotOf } from '../editor/editor_snapshot';
import type { Surroundings } from '../editor/surroundings';

/** A cursor that does not move for this long rests, ms. */
const REST_MS = 300;

/** What it works with. */
export interface PreparerParts {
  readonly engine: CompletionEngine;
  readonly prompts: PromptWriter;
  readonly options: () => CompletionOptions;
  /** What there is beside a document. */
  readonly others: Pick<Surroundings, 'beside' | 'snippets'>;
  /** Computes what follows a suggestion on the screen. */
  readonly next: (document: DocumentSnapshot, signal: AbortSignal) => Promise<void>;
  /** Whether the engine has something else to do. */
  readonly busy: () => boolean;
}

export class Preparer implements vscode.Disposable {
  private readonly parts: PreparerParts;
  private readonly prepared = new vscode.EventEmitter<string>();
  private readonly subscriptions: readonly vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private running: AbortController | undefined;

  /** Fires with the URI of a document whose cursor's place was read. */
  readonly onDidPrepare = this.prepared.event;

  constructor(parts: PreparerParts) {
    this.parts = parts;
    this.subscriptions = [
      vscode.window.onDidChangeActiveTextEditor(() => this.wait()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) this.wait();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && document === vscode.window.activeTextEditor?.document) this.wait();
      }),
    ];
  }

  /**
   * Gives up what is under way, and looks again when the cursor has rested.
   * @param uri Where something happened. Default: in the active editor; elsewhere, as in a commit's message, no cursor is looked at.
   */
  wait(uri?: string): void {
    this.cancel();
    const elsewhere = uri !== undefined && uri !== vscode.window.activeTextEditor?.document.uri.toString();
    if (this.parts.options().prepares && !elsewhere) this.timer = setTimeout(() => void this.read(), REST_MS);
  }

  dispose(): void {
    this.cancel();
    for (const subscription of this.subscriptions) subscription.dispose();
    this.prepared.dispose();
  }

  private cancel(): void {
    clearTimeout(this.timer);
    this.running?.abort();
    this.running = undefined;
  }

  private async read(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const { engine, prompts, options, others, next, busy } = this.parts;
    if (editor === undefined || busy()) return;
    const controller = new AbortController();
    this.running = controller;
    const document = snapshotOf(editor.document, editor.selection.active);
    const place = {
      document,
      signal: controller.signal,
      beside: others.beside(document.uri),
      snippets: others.snippets,
    };
    const done = await prepare(engine, prompts, options(), place);
    if (done) await next(document, controller.signal);
    if (this.running !== controller) return;
    this.running = undefined;
    if (done) this.prepared.fire(document.uri);
  }
}
