/** The texts of the files last looked at, for drafts: code repeats itself across the files of a task. */
import * as vscode from 'vscode';
import { normalizeLineBreaks } from '../../core/completion/document';
import { isExcluded } from '../../core/completion/excluded_files';
import type { CompletionOptions } from '../../core/completion/options';

/** Files that are remembered, the one being edited among them. */
const MAX_FILES = 5;
/** Of each, UTF-16 units: about 10,000 tokens. */
const MAX_UNITS = 40_000;

interface Known {
  readonly document: vscode.TextDocument;
  version: number;
  text: string;
}

export class RecentTexts implements vscode.Disposable {
  /** Latest first. */
  private readonly known: Known[] = [];
  private readonly options: () => CompletionOptions;
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(options: () => CompletionOptions) {
    this.options = options;
    this.remember(vscode.window.activeTextEditor?.document);
    this.subscriptions = [
      vscode.window.onDidChangeActiveTextEditor((editor) => this.remember(editor?.document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.forget(document)),
    ];
  }

  /** Of all but `uri`, latest first; none of files that are left alone. */
  beside(uri: string): readonly string[] {
    const { excludedFiles } = this.options();
    return this.known
      .filter(({ document }) => document.uri.toString() !== uri)
      .filter(({ document }) => !isExcluded(document.uri.path, excludedFiles))
      .map(textOf);
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    this.known.length = 0;
  }

  private remember(document: vscode.TextDocument | undefined): void {
    if (document === undefined || document.uri.scheme === 'output') return;
    this.forget(document);
    this.known.unshift({ document, version: -1, text: '' });
    this.known.length = Math.min(this.known.length, MAX_FILES);
  }

  private forget(document: vscode.TextDocument): void {
    const at = this.known.findIndex((known) => known.document === document);
    if (at >= 0) this.known.splice(at, 1);
  }
}

/** Copied once a version. */
function textOf(known: Known): string {
  const { document, version } = known;
  if (version !== document.version) {
    const end = document.positionAt(MAX_UNITS);
    known.text = normalizeLineBreaks(document.getText(new vscode.Range(new vscode.Position(0, 0), end)));
    known.version = document.version;
  }
  return known.text;
}
