/** "Again, but …": asks what is to be otherwise. */
import * as vscode from 'vscode';

/** Who is asked what comes behind these words may write them, too. */
const AGAIN = /^\s*(?:again|noch einmal)?[\s,]*(?:but|aber)\b[\s,:…]*/iu;

/**
 * What is to be otherwise; undefined where nothing is.
 * @param given The user is asked where it is left out.
 */
export async function askAgain(given: string | undefined): Promise<string | undefined> {
  const { t } = vscode.l10n;
  const instruction =
    given ??
    (await vscode.window.showInputBox({
      title: t('Emberline: Again, but …'),
      prompt: t('What is to be otherwise. The model reads what is shown.'),
      placeHolder: t('For example: with a default of 10; without the comment'),
      ignoreFocusOut: true,
    }));
  const plain = instruction?.replace(AGAIN, '').trim();
  return plain === '' ? undefined : plain;
}
