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
  const before = normalizeLineBreaks(textBefore(document, from) + (selected?.text ?? ''));
  return {
    uri: document.uri.toString(),
    path: pathOf(document),
    fullPath: document.uri.path,
    languageId: document.languageId,
    kind: kindOf(document),
    before: before.slice(-MAX_BEFORE),
    front: frontBefore(document, from, selected?.text ?? '', before),
    after: normalizeLineBreaks(textAfter(document, to)).slice(0, MAX_AFTER),
    lineLength: document.lineAt(position.line).text.length,
    tabs: editor?.options.insertSpaces === false,
    tabSize: typeof editor?.options.tabSize === 'number' ? editor.options.tabSize : 4,
    selectionEmpty: editor?.selection.isEmpty ?? true,
    cursors: editor?.selections.length ?? 1,
  };
}

function editorOf(document: vscode.TextDocument): vscode.TextEditor | undefined {
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
function pathOf(document: vscode.TextDocument): string {
  const relative = vscode.workspace.asRelativePath(document.uri, false).replaceAll('\\', '/');
  const isAbsolute = relative.startsWith('/') || /^[a-z]:/i.test(relative);
  return isAbsolute ? relative.split('/').slice(-3).join('/').replace(/^\//, '') : relative;
}

// Text is read by lines from the cursor outwards: copying the whole text would cost as much as the file is long.

function textBefore(document: vscode.TextDocument, end: vscode.Position): string {
  const first = Math.max(0, end.character - MAX_BEFORE);
  const lines = [document.getText(new vscode.Range(end.line, first, end.line, end.character))];
  let length = end.character - first;
  for (let line = end.line - 1; line >= 0 && length < MAX_BEFORE; line--) {
    const text = document.lineAt(line).text.slice(-MAX_BEFORE);
    lines.push(text);
    length += text.length + 1;
  }
  return lines.reverse().join('\n');
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

function textAfter(document: vscode.TextDocument, start: vscode.Position): string {
  const end = start.character + MAX_AFTER;
  const lines = [document.getText(new vscode.Range(start.line, start.character, start.line, end))];
  let length = lines[0]?.length ?? 0;
  for (let line = start.line + 1; line < document.lineCount && length < MAX_AFTER; line++) {
    const text = document.lineAt(line).text.slice(0, MAX_AFTER);
    lines.push(text);
    length += text.length + 1;
  }
  return lines.join('\n');
}
