/** Files of the workspace, as they are in the editor or on disk: those that are not left alone, and no large ones. */
import * as vscode from 'vscode';
import { normalizeLineBreaks } from '../../core/completion/document';
import { isLeftAlone } from './left_alone';

/** Larger ones are data, bytes. */
const MOST_BYTES = 200_000;
/** Of a document that is open no more lines are copied, however many it has: imports stand in front. */
const MOST_LINES = 10_000;
/** What others wrote, and what is made. */
const FOREIGN = /(?:^|\/)(?:node_modules|site-packages|dist-packages|\.venv|venv|\.git)\//;

/** Whether a file belongs to the project and may be read. */
export function isReadable(uri: vscode.Uri, excluded: readonly string[]): boolean {
  if (!vscode.workspace.isTrusted || vscode.workspace.getWorkspaceFolder(uri) === undefined) return false;
  return !FOREIGN.test(vscode.workspace.asRelativePath(uri, false)) && !isLeftAlone(uri, excluded);
}

/** What an open document begins with, its line breaks as they are. Takes no longer where there is more, of lines or of one line. */
export function frontOfDocument(document: vscode.TextDocument): string {
  let line = 0;
  const most = Math.min(MOST_LINES, document.lineCount);
  for (let units = 0; line < most && units < MOST_BYTES; line++)
    units += document.lineAt(line).text.length + 1;
  return document.getText(new vscode.Range(0, 0, line - 1, MOST_BYTES)).slice(0, MOST_BYTES);
}

/** Line breaks as `\n`; undefined where there is no such file, or one that may not be read. Never rejects. */
export async function readProjectFile(
  uri: vscode.Uri,
  excluded: readonly string[],
): Promise<string | undefined> {
  if (!isReadable(uri, excluded)) return undefined;
  const wanted = uri.toString();
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === wanted);
  if (open !== undefined) return normalizeLineBreaks(frontOfDocument(open));
  try {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.File) === 0 || size > MOST_BYTES) return undefined;
    return normalizeLineBreaks(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
  } catch {
    return undefined;
  }
}
