/**
 * What was edited a moment ago, in the document one writes in and in others: who changes a name in one place goes on to change it in the next. Kept in memory,
 * of documents that are open, where somebody wants it.
 */
import * as vscode from 'vscode';
import type { DocumentSnapshot } from '../../core/completion/document';
import { editSnippet } from '../../core/completion/edit_text';
import type { CompletionOptions } from '../../core/completion/options';
import { RecentEdits } from '../../core/completion/recent_edits';
import { putLast } from '../../core/completion/recent_map';
import { readAlike } from '../../core/completion/similar_windows';
import { MAX_LINE } from '../../core/completion/trigger';
import type { Snippet } from '../../core/completion/snippets';
import { onDidEndDocument } from './document_end';
import { editorOf, pathOf } from './editor_snapshot';
import { isLeftAlone } from './left_alone';

/** Documents whose edits are remembered. */
const MOST_DOCUMENTS = 5;
/** Longer documents are not followed: each is kept as a list of its lines, UTF-16 units. */
const MOST_UNITS = 500_000;
/** Nor are those of more lines, which are not even copied to count their units. */
const MOST_LINES = 50_000;
/** What is written around the cursor is there to be read. */
const NEAR_LINES = 2;

interface Followed {
  readonly document: vscode.TextDocument;
  readonly edits: RecentEdits;
  /** UTF-16 units of its text. */
  units: number;
  /** The larger, the later it was changed. */
  changed: number;
}

export class EditHistory implements vscode.Disposable {
  private readonly options: () => CompletionOptions;
  /** The document looked at last behind the others. */
  private readonly followed = new Map<string, Followed>();
  private readonly subscriptions: readonly vscode.Disposable[];
  private changes = 0;

  constructor(options: () => CompletionOptions) {
    this.options = options;
    this.refresh();
    this.subscriptions = [
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor?.document)),
      vscode.workspace.onDidChangeTextDocument((event) => this.change(event)),
      onDidEndDocument(({ uri }) => this.followed.delete(uri.toString())),
    ];
  }

  /** Begins, or ends and forgets, as the settings say now. */
  refresh(): void {
    if (this.options().recentEdits) this.follow(vscode.window.activeTextEditor?.document);
    else this.followed.clear();
  }

  /** Of documents of its language, the latest first, but for those around the cursor. */
  at({ uri, languageId }: DocumentSnapshot): readonly Snippet[] {
    const { excludedFiles } = this.options();
    return [...this.followed.values()]
      .filter(({ document }) => readAlike(document.languageId, languageId))
      .filter(({ document }) => !isLeftAlone(document.uri, excludedFiles))
      .toSorted((a, b) => b.changed - a.changed)
      .flatMap(({ document, edits }) => {
        const path = pathOf(document.uri);
        const cursor =
          document.uri.toString() === uri ? editorOf(document)?.selection.active.line : undefined;
        return edits.edits
          .filter(({ line, after }) => !isNear(line, after.length, cursor))
          .map(({ before, after }) => ({ before: before.join('\n'), after: after.join('\n') }))
          .map((edit) => editSnippet({ ...edit, path, languageId: document.languageId }))
          .filter((snippet) => snippet !== undefined);
      });
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    this.followed.clear();
  }

  private follow(document: vscode.TextDocument | undefined): void {
    const { recentEdits, excludedFiles } = this.options();
    if (!recentEdits) return;
    if (document === undefined || !['file', 'untitled', 'vscode-remote'].includes(document.uri.scheme))
      return;
    const uri = document.uri.toString();
    const known = this.followed.get(uri);
    this.followed.delete(uri);
    if (document.lineCount > MOST_LINES) return;
    const text = document.getText();
    if (text.length > MOST_UNITS || isLeftAlone(document.uri, excludedFiles)) return;
    const followed = known ?? { document, edits: new RecentEdits(text), units: text.length, changed: 0 };
    putLast(this.followed, uri, followed, MOST_DOCUMENTS);
  }

  private change({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const followed = this.followed.get(document.uri.toString());
    if (followed === undefined || contentChanges.length === 0) return;
    for (const { text, rangeLength } of contentChanges) followed.units += text.length - rangeLength;
    if (document.lineCount > MOST_LINES || followed.units > MOST_UNITS || isLong(document, contentChanges)) {
      this.followed.delete(document.uri.toString());
      return;
    }
    followed.changed = ++this.changes;
    // Each is of the text that the one before left.
    for (const { range, text } of contentChanges)
      followed.edits.change({ start: range.start, end: range.end, text });
  }
}

/** Whether a line that is changed is too long to be copied at each key. */
function isLong(
  document: vscode.TextDocument,
  changes: readonly vscode.TextDocumentContentChangeEvent[],
): boolean {
  return changes.some(
    ({ range: { start } }) =>
      start.line < document.lineCount && document.lineAt(start.line).text.length > MAX_LINE,
  );
}

function isNear(line: number, lines: number, cursor: number | undefined): boolean {
  return cursor !== undefined && cursor >= line - NEAR_LINES && cursor <= line + lines + NEAR_LINES;
}
