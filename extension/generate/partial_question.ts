/** What becomes of partial text, where the settings leave it open. */
import * as vscode from 'vscode';
import type { Interruption } from './insertion';

const KEEP = 'Keep';
const DROP = 'Drop';

export interface PartialQuestion {
  /** Asks whether the text is to be kept. */
  keeps(): Promise<boolean>;
  /** Is told why the text did not go although it was to. */
  stays(why: Interruption): void;
}

/** A text that went with its document needs no word. */
const WHY_IT_STAYS: Readonly<Record<Exclude<Interruption, 'closed'>, string>> = {
  edited: 'The generated text was edited meanwhile, so it stays.',
  refused: 'The document cannot be edited, so the generated text stays.',
};

/** Asks where the keyboard is at hand: a key answers. The text stays where nobody does. */
export const QUICK_PICK: PartialQuestion = {
  async keeps() {
    const title = 'Emberline: Generating was stopped';
    const placeHolder = 'Keep the text so far?';
    return (await vscode.window.showQuickPick([KEEP, DROP], { title, placeHolder })) !== DROP;
  },
  stays(why) {
    if (why !== 'closed') void vscode.window.showInformationMessage(`Emberline: ${WHY_IT_STAYS[why]}`);
  },
};
