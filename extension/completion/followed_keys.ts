/** Tells where the editor will ask for a suggestion, when the cursor has followed a key and the editor still waits (core/completion/head_start.ts). */
import * as vscode from 'vscode';

/** A version of a document. */
type Version = Pick<vscode.TextDocument, 'uri' | 'version'>;

export class FollowedKeys implements vscode.Disposable {
  private readonly subscriptions: readonly vscode.Disposable[];
  /** What a key made, whose cursor has not followed yet. */
  private typed: Version | undefined;
  private asks = false;

  /** @param follow Called where the editor will ask: as it did behind the key before. */
  constructor(follow: (editor: vscode.TextEditor) => void) {
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges, reason }) => {
        const { uri, version } = document;
        // What is undone or done again is not asked behind.
        if (contentChanges.length > 0) this.typed = reason === undefined ? { uri, version } : undefined;
      }),
      vscode.window.onDidChangeTextEditorSelection((event) => {
        if (this.isBehindKey(event)) follow(event.textEditor);
      }),
    ];
  }

  /** The editor asked. @param plainly Not at somebody's wish, nor with an entry of its list in mind: then it will behind the next key as well. */
  asked(plainly: boolean): void {
    this.asks = plainly;
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private isBehindKey({ textEditor, selections, kind }: vscode.TextEditorSelectionChangeEvent): boolean {
    const { typed, asks } = this;
    const { uri, version } = textEditor.document;
    if (typed?.version !== version || typed.uri.toString() !== uri.toString()) return false;
    this.typed = undefined;
    this.asks = false;
    const [selection, ...others] = selections;
    const isPlace = selection?.isEmpty === true && others.length === 0;
    const byKey = kind === vscode.TextEditorSelectionChangeKind.Keyboard;
    return asks && isPlace && byKey && textEditor === vscode.window.activeTextEditor;
  }
}
