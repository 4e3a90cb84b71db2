/** Commands that show what happened: the log, and a report about a problem. */
import * as vscode from 'vscode';
import type { EmberlineContext } from '../context';
import { copyReport as copyOpenReport, hasIssuePage, openReport } from '../report';

/** Opens a report about a problem in an editor, and offers to copy it. Returns once it can be read. */
export async function reportIssue(context: EmberlineContext): Promise<void> {
  const { manifest } = context;
  await openReport(manifest, context.ownFacts, context.root);
  const copy = hasIssuePage(manifest) ? vscode.l10n.t('Copy and Open a New Issue') : vscode.l10n.t('Copy');
  const told = vscode.l10n.t('Emberline: read the report and change it as you like. Nothing was sent.');
  void vscode.window.showInformationMessage(told, copy).then((answer) => {
    if (answer === copy) void copyReport(context);
  });
}

/** Copies the report as it was left. Returns whether there was one. */
export async function copyReport(context: EmberlineContext): Promise<boolean> {
  const copied = await copyOpenReport(context.manifest);
  const told = copied
    ? vscode.l10n.t('Emberline: the report is copied.')
    : vscode.l10n.t('Emberline: no report is open. Run "Emberline: Report Issue" first.');
  void vscode.window.showInformationMessage(told);
  return copied;
}

export function showLog(context: EmberlineContext): void {
  context.log.show();
}
