/** What commands tell the user, with the way to the log. */
import * as vscode from 'vscode';
import type { EmberlineContext } from '../context';
import { showLog } from './reporting';

/** A sentence, and the way to the log. */
export function tell(context: EmberlineContext, sentence: string): void {
  void offerLog(context, vscode.window.showInformationMessage(`Emberline: ${sentence}`, showLogButton()));
}

export function showLogButton(): string {
  return vscode.l10n.t('Show Log');
}

export async function offerLog(
  context: EmberlineContext,
  answer: Thenable<string | undefined>,
): Promise<void> {
  if ((await answer) === showLogButton()) showLog(context);
}
