/** When a document is gone. */
import * as vscode from 'vscode';

/** Where its language changes, a document is closed and opened again with the same text: that is no end of it. */
export function onDidEndDocument(listener: (document: vscode.TextDocument) => void): vscode.Disposable {
  return vscode.workspace.onDidCloseTextDocument((document) => {
    if (document.isClosed) listener(document);
  });
}
