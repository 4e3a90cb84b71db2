/** What commands tell the user, with the way to the log. */
import * as vscode from 'vscode';
import type { NativeError } from '../../core/engine/native_result';
import type { EmberlineContext } from '../context';
import { showLog } from './reporting';

/** A sentence, and the way to the log. */
export function tell(context: EmberlineContext, sentence: string): void {
  void offerLog(context, vscode.window.showInformationMessage(`Emberline: ${sentence}`, showLogButton()));
}

/** What failed, in the log and in a message. */
export function tellError(context: EmberlineContext, error: NativeError): void {
  const { code, message } = error;
  context.log.failed(error);
  void offerLog(context, vscode.window.showErrorMessage(`Emberline: ${message} (${code})`, showLogButton()));
}

export function showLogButton(): string {
  return vscode.l10n.t('Show Log');
}

async function offerLog(context: EmberlineContext, answer: Thenable<string | undefined>): Promise<void> {
  if ((await answer) === showLogButton()) showLog(context);
}
