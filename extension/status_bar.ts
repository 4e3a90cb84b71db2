/** The status bar item: what Emberline is doing, and the menu behind it. */
import * as vscode from 'vscode';
import type { RemoteState } from './remote/remote_control';

export type Status = 'loading' | 'ready' | 'working' | 'generating' | 'off' | 'error';

const ICON: Readonly<Record<Status, string>> = {
  loading: '$(loading~spin)',
  ready: '$(flame)',
  working: '$(sync~spin)',
  generating: '$(loading~spin)',
  off: '$(circle-slash)',
  error: '$(error)',
};

/** Of an engine that is ready. */
const REMOTE_ICON: Readonly<Record<RemoteState, string>> = {
  none: ICON.ready,
  answers: '$(cloud)',
  away: '$(debug-disconnect)',
};

const SENTENCE: Readonly<Record<Status, string>> = {
  loading: 'Loading the model',
  ready: 'Ready',
  working: 'Computing a suggestion',
  generating: 'Generating at the cursor; Escape stops',
  off: 'Turned off here',
  error: 'The engine does not run',
};

export class StatusBar implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private shown: string | undefined;

  /** @param command Run on a click. */
  constructor(command: string) {
    this.item = vscode.window.createStatusBarItem('emberline.status', vscode.StatusBarAlignment.Right, 100);
    this.item.name = 'Emberline';
    this.item.command = command;
    this.update('loading');
    this.item.show();
  }

  /** What the item says when it is pointed at. */
  get tooltip(): string {
    const { tooltip } = this.item;
    return typeof tooltip === 'string' ? tooltip : '';
  }

  /**
   * @param detail A sentence for the tooltip: the model, or the error.
   * @param remote What becomes of the remote engine.
   */
  update(status: Status, detail = '', remote: RemoteState = 'none'): void {
    const key = `${status} ${remote} ${detail}`;
    if (key === this.shown) return;
    this.shown = key;
    const icon = status === 'ready' ? REMOTE_ICON[remote] : ICON[status];
    this.item.text = `${icon} Emberline`;
    this.item.tooltip = `Emberline: ${SENTENCE[status]}${detail === '' ? '' : `\n${detail}`}\nClick for the menu`;
    this.item.accessibilityInformation = { label: `Emberline: ${SENTENCE[status]}`, role: 'button' };
    this.item.backgroundColor =
      status === 'error' ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
  }

  dispose(): void {
    this.item.dispose();
  }
}

export interface MenuEntry {
  readonly icon: string;
  readonly label: string;
  readonly command: string;
}

/** Shows the entries and runs the command of the one that is picked. */
export async function showMenu(title: string, entries: readonly MenuEntry[]): Promise<void> {
  const items = entries.map((entry) => ({
    label: `$(${entry.icon}) ${entry.label}`,
    command: entry.command,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: 'What should Emberline do?',
  });
  if (picked !== undefined) await vscode.commands.executeCommand(picked.command);
}
