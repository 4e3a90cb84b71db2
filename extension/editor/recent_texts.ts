/**
 * The texts of the files last looked at: code repeats itself across the files of a task. Drafts are looked up in them, and the model is given
 * what resembles the text around the cursor. Of a notebook there is the cell last looked at, and nothing beside another of its cells,
 * which sees it as the text around it.
 */
import * as vscode from 'vscode';
import { normalizeLineBreaks } from '../../core/completion/document';
import type { CompletionOptions } from '../../core/completion/options';
import type { OtherText } from '../../core/completion/references';
import { mostSimilar, readAlike, type Window, windowsOf } from '../../core/completion/similar_windows';
import type { FindSnippets } from '../../core/completion/snippets';
import { onDidEndDocument } from './document_end';
import { pathOf } from './editor_snapshot';
import { isLeftAlone } from './left_alone';

/** Files that are remembered, the one being edited among them. */
const MAX_FILES = 5;
/** Of each, UTF-16 units: about 10,000 tokens. */
const MAX_UNITS = 40_000;

interface Known {
  readonly document: vscode.TextDocument;
  version: number;
  text: string;
  /** Of that text, once they are asked for. */
  windows: readonly Window[] | undefined;
  /** That they were cut for. */
  languageId: string;
}

/** More do not fit in a prompt. */
const MOST_SNIPPETS = 3;

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
      onDidEndDocument((document) => this.forget(document)),
    ];
  }

  /** The texts of all but the file of `uri`, latest first; none of files that are left alone. */
  readonly beside = (uri: string): readonly OtherText[] =>
    this.others(uri).map((known) => ({ text: textOf(known), languageId: known.document.languageId }));

  /** Pieces of files of the same language that resemble the text around the cursor, the most similar first. */
  readonly similarTo: FindSnippets = (document) => {
    const others = this.others(document.uri).filter((known) =>
      readAlike(known.document.languageId, document.languageId),
    );
    return mostSimilar(others.flatMap(windowsIn), document, MOST_SNIPPETS);
  };

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    this.known.length = 0;
  }

  private others(uri: string): Known[] {
    const { excludedFiles } = this.options();
    // Cells of one notebook have one path, and so have a file and what a diff view shows of its past.
    const { path } = vscode.Uri.parse(uri);
    return this.known
      .filter(({ document }) => document.uri.path !== path)
      .filter(({ document }) => !isLeftAlone(document.uri, excludedFiles));
  }

  private remember(document: vscode.TextDocument | undefined): void {
    if (document === undefined || document.uri.scheme === 'output') return;
    const { scheme, path } = document.uri;
    const same = this.known.find(({ document: { uri } }) => uri.scheme === scheme && uri.path === path);
    if (same !== undefined) this.forget(same.document);
    const { languageId } = document;
    this.known.unshift({ document, version: -1, text: '', windows: undefined, languageId });
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
    known.windows = undefined;
  }
  return known.text;
}

function windowsIn(known: Known): readonly Window[] {
  const text = textOf(known);
  const { uri, languageId } = known.document;
  if (known.languageId !== languageId) known.windows = undefined;
  known.languageId = languageId;
  known.windows ??= windowsOf({ path: pathOf(uri), languageId, text });
  return known.windows;
}
