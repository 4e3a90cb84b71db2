/** The status bar item: what Emberline is doing, and the menu behind it. */
import * as vscode from 'vscode';
import type { RemoteState } from './remote/remote_control';
import type { Status } from './status';

const ICON: Readonly<Record<Status, string>> = {
  loading: '$(loading~spin)',
  ready: '$(flame)',
  working: '$(sync~spin)',
  generating: '$(loading~spin)',
  paused: '$(debug-pause)',
  off: '$(circle-slash)',
  error: '$(error)',
};

/** Of an engine that is ready. */
const REMOTE_ICON: Readonly<Record<RemoteState, string>> = {
  none: ICON.ready,
  answers: '$(cloud)',
  away: '$(debug-disconnect)',
};

/** What there is to say beside the status. */
export interface StatusDetail {
  /** Lines for the tooltip: the model, or why it is off. */
  readonly lines: readonly string[];
  /** When a pause ends, ms since 1970, or infinite. */
  readonly pausedUntil?: number | undefined;
  /** What becomes of the remote engine. Default: none is used. */
  readonly remote?: RemoteState;
}

/** Commands that the tooltip has links to. */
const LINKED = ['emberline.explain', 'emberline.pause', 'emberline.menu'];

export class StatusBar implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private shown: string | undefined;
  private text = '';

  constructor() {
    this.item = vscode.window.createStatusBarItem('emberline.status', vscode.StatusBarAlignment.Right, 100);
    this.item.name = 'Emberline';
    this.update('loading', { lines: [] });
    this.item.show();
  }

  /** What the item says when it is pointed at, without its links. */
  get tooltip(): string {
    return this.text;
  }

  update(status: Status, { lines, pausedUntil, remote = 'none' }: StatusDetail): void {
    const until = status === 'paused' && pausedUntil !== undefined ? pausedUntil : undefined;
    const key = JSON.stringify([status, lines, until, remote]);
    if (key === this.shown) return;
    this.shown = key;
    const sentence = until === undefined ? sentenceOf(status) : pauseSentence(until);
    const label = `Emberline: ${sentence}`;
    const click = status === 'paused' ? vscode.l10n.t('Click to go on') : vscode.l10n.t('Click for the menu');
    this.text = [label, ...lines, click].join('\n');
    const clock = until === undefined || until === Infinity ? '' : ` ${timeOf(until)}`;
    const icon = status === 'ready' ? REMOTE_ICON[remote] : ICON[status];
    this.item.text = `${icon} Emberline${clock}`;
    this.item.tooltip = withLinks(this.text, status);
    this.item.accessibilityInformation = { label, role: 'button' };
    this.item.command = status === 'paused' ? 'emberline.resume' : 'emberline.menu';
    this.item.backgroundColor =
      status === 'error' ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
  }

  dispose(): void {
    this.item.dispose();
  }
}

/** What each status means; docs/status_bar.md has the same. */
export function sentenceOf(status: Status): string {
  switch (status) {
    case 'loading':
      return vscode.l10n.t('Loading the model');
    case 'ready':
      return vscode.l10n.t('Ready');
    case 'working':
      return vscode.l10n.t('Computing a suggestion');
    case 'generating':
      return vscode.l10n.t('Generating or editing; Escape stops it');
    case 'paused':
      return vscode.l10n.t('Paused');
    case 'off':
      return vscode.l10n.t('Turned off here');
    case 'error':
      return vscode.l10n.t('The engine does not run');
  }
}

function pauseSentence(until: number): string {
  return until === Infinity
    ? vscode.l10n.t('Paused until the editor starts again')
    : vscode.l10n.t('Paused until {0}', timeOf(until));
}

function timeOf(ms: number): string {
  return new Date(ms).toLocaleTimeString(vscode.env.language, { hour: '2-digit', minute: '2-digit' });
}

/** @param text Is no Markdown: names of models and files come from elsewhere. */
function withLinks(text: string, status: Status): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  tooltip.isTrusted = { enabledCommands: LINKED };
  for (const line of text.split('\n')) tooltip.appendMarkdown(`${escaped(line)}  \n`);
  const links = [
    `[${vscode.l10n.t('Why is nothing suggested?')}](command:emberline.explain)`,
    status === 'paused'
      ? `[${vscode.l10n.t('Menu')}](command:emberline.menu)`
      : `[${vscode.l10n.t('Pause…')}](command:emberline.pause)`,
  ];
  tooltip.appendMarkdown(`\n---\n${links.join(' · ')}`);
  return tooltip;
}

/** As it stands: Markdown takes any sign of punctuation behind a backslash for itself. (`appendText` would keep lines from being broken.) */
function escaped(line: string): string {
  return line.replaceAll(/[!-/:-@[-`{-~]/g, String.raw`\$&`);
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
    placeHolder: vscode.l10n.t('What should Emberline do?'),
  });
  if (picked !== undefined) await vscode.commands.executeCommand(picked.command);
}
