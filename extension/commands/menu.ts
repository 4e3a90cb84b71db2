/** The menu behind the entry of the status bar, and the pages that it opens. */
import * as vscode from 'vscode';
import type { EmberlineContext } from '../context';
import { type MenuEntry, showMenu } from '../status_bar';

export async function menu(context: EmberlineContext): Promise<void> {
  await showMenu('Emberline', menuEntries(context));
}

/** Shows what the engine does on this machine. */
export function showDashboard(context: EmberlineContext): void {
  context.dashboard.show();
}

export async function openSettings(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:emberline.emberline');
}

function menuEntries(context: EmberlineContext): MenuEntry[] {
  const { t } = vscode.l10n;
  const { config } = context;
  const language = vscode.window.activeTextEditor?.document.languageId;
  const pausing: MenuEntry =
    context.pausedUntil === undefined
      ? { icon: 'debug-pause', label: t('Pause…'), command: 'emberline.pause' }
      : { icon: 'debug-continue', label: t('Go on'), command: 'emberline.resume' };
  return [
    ...(config.completion.enabled
      ? [pausing, { icon: 'circle-slash', label: t('Turn off'), command: 'emberline.disable' }]
      : [{ icon: 'flame', label: t('Turn on'), command: 'emberline.enable' }]),
    ...(language === undefined ? [] : [languageEntry(config.isEnabledFor(language), language)]),
    { icon: 'sparkle', label: t('Suggest now'), command: 'emberline.trigger' },
    context.writing
      ? { icon: 'debug-stop', label: t('Stop generating'), command: 'emberline.stopGenerating' }
      : { icon: 'wand', label: t('Generate at the cursor'), command: 'emberline.generate' },
    { icon: 'edit', label: t('Edit the selection…'), command: 'emberline.editSelection' },
    { icon: 'question', label: t('Why was nothing suggested?'), command: 'emberline.explain' },
    { icon: 'beaker', label: t('Try it'), command: 'emberline.tryIt' },
    { icon: 'file-binary', label: t('Choose a model…'), command: 'emberline.chooseModel' },
    context.config.remote.url === ''
      ? { icon: 'cloud', label: t('Use a remote engine…'), command: 'emberline.useRemoteEngine' }
      : { icon: 'device-desktop', label: t('Use the local engine'), command: 'emberline.useLocalEngine' },
    { icon: 'graph', label: t('Dashboard'), command: 'emberline.showDashboard' },
    { icon: 'debug-restart', label: t('Restart the engine'), command: 'emberline.restart' },
    { icon: 'output', label: t('Show the log'), command: 'emberline.showLog' },
    { icon: 'report', label: t('Report an issue'), command: 'emberline.reportIssue' },
    { icon: 'gear', label: t('Settings'), command: 'emberline.openSettings' },
  ];
}

function languageEntry(enabled: boolean, language: string): MenuEntry {
  const label = enabled
    ? vscode.l10n.t('Turn off for {0}', language)
    : vscode.l10n.t('Turn on for {0}', language);
  return { icon: 'code', label, command: 'emberline.toggleLanguage' };
}
