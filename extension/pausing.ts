/** Asks for how long to pause. */
import * as vscode from 'vscode';
import { PAUSES, type PauseLength } from '../core/completion/pause';

/** Undefined: not at all. */
export async function choosePause(): Promise<PauseLength | undefined> {
  const items = PAUSES.map((length) => ({ label: labelOf(length), length }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Emberline: Pause'),
    placeHolder: vscode.l10n.t('For how long should nothing be suggested in this window?'),
  });
  return picked?.length;
}

function labelOf(length: PauseLength): string {
  switch (length) {
    case 'fiveMinutes':
      return vscode.l10n.t('For 5 minutes');
    case 'hour':
      return vscode.l10n.t('For an hour');
    case 'untilRestart':
      return vscode.l10n.t('Until the editor starts again');
  }
}
