/** What becomes of partial text, where the settings leave it open. */
import * as vscode from 'vscode';
import type { Interruption } from './insertion';

export interface PartialQuestion {
  /** Asks whether the text is to be kept. */
  keeps(): Promise<boolean>;
  /** Is told why the text did not go although it was to. */
  stays(why: Interruption): void;
}

function whyItStays(why: Exclude<Interruption, 'closed'>): string {
  return why === 'edited'
    ? vscode.l10n.t('Emberline: the generated text was edited meanwhile, so it stays.')
    : vscode.l10n.t('Emberline: the document cannot be edited, so the generated text stays.');
}

/** Asks where the keyboard is at hand: a key answers. The text stays where nobody does. */
export const QUICK_PICK: PartialQuestion = {
  async keeps() {
    const title = vscode.l10n.t('Emberline: Generating was stopped');
    const placeHolder = vscode.l10n.t('Keep the text so far?');
    const drop = vscode.l10n.t('Drop');
    const choices = [vscode.l10n.t('Keep'), drop];
    return (await vscode.window.showQuickPick(choices, { title, placeHolder })) !== drop;
  },
  stays(why) {
    // A text that went with its document needs no word.
    if (why !== 'closed') void vscode.window.showInformationMessage(whyItStays(why));
  },
};
