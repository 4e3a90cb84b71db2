/** From an editor's document and cursor to the plain data the completion pipeline works on. */
import * as vscode from 'vscode';
import {
  type DocumentKind,
  type DocumentSnapshot,
  frontOf,
  MAX_AFTER,
  MAX_BEFORE,
  MAX_FRONT,
  normalizeLineBreaks,
  JSON_LANGUAGES,
} from '../../core/completion/document';
import { textAbove, textBelow } from '../../core/completion/notebook';
import { cellPlace } from './notebook_cells';
import { textAfter, textBefore } from './text_around';

/** Schemes of documents one writes in that no file system provider stands behind. */
const WRITTEN_SCHEMES = new Set([
  'file',
  'untitled',
  'vscode-notebook-cell',
  'vscode-interactive-input',
  'vscode-remote',
  'vscode-userdata',
]);

/**
 * Of a notebook's cell, the text around the cursor includes the other cells' (core/completion/notebook.ts).
 * @param selected The entry of the suggestion list that is highlighted: it stands in for what it would replace, as if it
 *   had been accepted.
 */
export function snapshotOf(
  document: vscode.TextDocument,
  position: vscode.Position,
  selected?: vscode.SelectedCompletionInfo,
): DocumentSnapshot {
  const from = selected?.range.start ?? position;
  const to = selected?.range.end ?? position;
  const editor = editorOf(document);
  const cell = cellPlace(document);
  const { languageId } = document;
  const ownBefore = normalizeLineBreaks(textBefore(document, from, MAX_BEFORE) + (selected?.text ?? ''));
  const above = textAbove(cell?.above ?? [], languageId, MAX_BEFORE - ownBefore.length);
  const ownAfter = normalizeLineBreaks(textAfter(document, to, MAX_AFTER));
  const below = textBelow(cell?.below ?? [], languageId, MAX_AFTER - ownAfter.length);
  const before = above + ownBefore;
  return {
    uri: document.uri.toString(),
    path: pathOf(document.uri),
    fullPath: document.uri.path,
    languageId,
    repository: vscode.workspace.getWorkspaceFolder(inWorkspace(document.uri))?.name,
    kind: kindOf(document),
    before: before.slice(-MAX_BEFORE),
    front: frontBefore(document, from, selected?.text ?? '', before),
    after: (ownAfter + below).slice(0, MAX_AFTER),
    lineLength: document.lineAt(position.line).text.length,
    tabs: editor?.options.insertSpaces === false,
    tabSize: typeof editor?.options.tabSize === 'number' ? editor.options.tabSize : 4,
    selectionEmpty: editor?.selection.isEmpty ?? true,
    cursors: editor?.selections.length ?? 1,
  };
}

/** The editor of a document that one sees, of several the one that one types in. */
export function editorOf(document: vscode.TextDocument): vscode.TextEditor | undefined {
  const active = vscode.window.activeTextEditor;
  if (active?.document === document) return active;
  return vscode.window.visibleTextEditors.find((editor) => editor.document === document);
}

function kindOf(document: vscode.TextDocument): DocumentKind {
  const { scheme } = document.uri;
  if (scheme === 'vscode-scm') return 'source_control';
  const writable = vscode.workspace.fs.isWritableFileSystem(scheme);
  if (writable === false) return 'read_only';
  return writable === true || WRITTEN_SCHEMES.has(scheme) ? 'text' : 'unsupported';
}

/** As a person would name the file: within the workspace, or its last two folders at most. */
export function pathOf(uri: vscode.Uri): string {
  const relative = vscode.workspace.asRelativePath(inWorkspace(uri), false).replaceAll('\\', '/');
  const isAbsolute = relative.startsWith('/') || /^[a-z]:/i.test(relative);
  return isAbsolute ? relative.split('/').slice(-3).join('/').replace(/^\//, '') : relative;
}

/** As the workspace knows the file: cells of its notebooks, and its past in a diff view, have schemes of their own. */
function inWorkspace(uri: vscode.Uri): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.find((one) =>
    uri.path.startsWith(one.uri.path.replace(/\/?$/, '/')),
  );
  return folder?.uri.with({ path: uri.path }) ?? uri;
}

/** DocumentSnapshot.front. */
function frontBefore(
  document: vscode.TextDocument,
  end: vscode.Position,
  selected: string,
  before: string,
): string | undefined {
  if (before.length < MAX_BEFORE) return '';
  // Reading all of it takes its time.
  if (!JSON_LANGUAGES.has(document.languageId) || document.offsetAt(end) > 2 * MAX_FRONT) return undefined;
  return frontOf(
    document.getText(new vscode.Range(new vscode.Position(0, 0), end)) + selected,
    document.languageId,
  );
}
