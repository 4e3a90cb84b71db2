/** A notification that something is under way, with a button that stops it. */
import * as vscode from 'vscode';

type Progress = vscode.Progress<{ readonly message?: string; readonly increment?: number }>;

/** @param work Its signal is aborted by the button. */
export function withProgress<T>(
  title: string,
  work: (signal: AbortSignal, progress: Progress) => Promise<T>,
): Thenable<T> {
  const { Notification } = vscode.ProgressLocation;
  return vscode.window.withProgress(
    { location: Notification, title, cancellable: true },
    (progress, token) => {
      const controller = new AbortController();
      token.onCancellationRequested(() => controller.abort());
      return work(controller.signal, progress);
    },
  );
}
