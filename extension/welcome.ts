/** The walkthrough, opened once in the life of an installation. */
import * as vscode from 'vscode';

const WALKTHROUGH = 'emberline.emberline#firstMinutes';
/** Where it is kept that the walkthrough was shown. */
const SHOWN = 'walkthroughShown';

export type WelcomeState = Pick<vscode.ExtensionContext['globalState'], 'get' | 'update' | 'setKeysForSync'>;

/**
 * Shows the walkthrough once, on this machine or one that shares its settings; not to whoever is at work in a file already, nor where
 * the editor is told not to. Returns whether it did.
 */
export async function welcome(state: WelcomeState): Promise<boolean> {
  state.setKeysForSync([SHOWN]);
  if (state.get(SHOWN) === true) return false;
  // First of all: if what follows fails, it does not come again with every start.
  try {
    await state.update(SHOWN, true);
  } catch {
    // Nor does it where that cannot be kept.
    return false;
  }
  const opens = vscode.workspace
    .getConfiguration('workbench.welcomePage.walkthroughs')
    .get<boolean>('openOnInstall', true);
  if (!opens || vscode.window.activeTextEditor !== undefined) return false;
  // An editor that has no such command is none the worse for it.
  const opened = vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, false);
  return opened.then(
    () => true,
    () => false,
  );
}
