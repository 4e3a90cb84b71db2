/** What the `when` and `enablement` clauses of package.json ask. */
import * as vscode from 'vscode';

/** Without `emberline.` in front. */
const KEYS = ['generated', 'generating', 'paused', 'previewing', 'replacing'] as const;

export function setContextKey(key: (typeof KEYS)[number], holds: boolean): void {
  void vscode.commands.executeCommand('setContext', `emberline.${key}`, holds);
}

/**
 * For the start: the editor's window keeps what was set by an extension host that has ended. Of one that broke down while it generated, Escape would
 * be taken and the commands off from then on.
 */
export function clearContextKeys(): void {
  for (const key of KEYS) setContextKey(key, false);
}
