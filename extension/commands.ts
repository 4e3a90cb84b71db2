/** What each command does; `main.ts` registers them under their names. */
import * as vscode from 'vscode';
import { REASONS } from './completion/reasons';
import { summaryOf } from './completion/summary';
import type { EmberlineContext } from './context';
import { type MenuEntry, showMenu } from './status_bar';

export async function enable(context: EmberlineContext): Promise<void> {
  await context.config.setEnabled(true);
}

export async function disable(context: EmberlineContext): Promise<void> {
  await context.config.setEnabled(false);
}

/** Turns suggestions on or off for the language of the active editor. */
export async function toggleLanguage(context: EmberlineContext): Promise<void> {
  const language = vscode.window.activeTextEditor?.document.languageId;
  if (language === undefined) {
    void vscode.window.showInformationMessage(
      'Emberline: open a file first; its language is what is turned on or off.',
    );
    return;
  }
  await context.config.setEnabledFor(language, !context.config.isEnabledFor(language));
}

export async function trigger(): Promise<void> {
  await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
}

export async function restart(context: EmberlineContext): Promise<void> {
  context.log.note('engine restart requested');
  await context.engine.start();
}

export function showLog(context: EmberlineContext): void {
  context.log.show();
}

/** Says why the last request ended as it did. Returns the sentence, for whoever runs the command from code. */
export function explain(context: EmberlineContext): string {
  const request = context.lastDecided ?? context.last;
  if (request === undefined) {
    const sentence = 'No suggestion was asked for yet.';
    void vscode.window.showInformationMessage(`Emberline: ${sentence}`);
    return sentence;
  }
  const sentence = REASONS[request.outcome.reason];
  context.log.note(`explained #${request.sequence}: ${summaryOf(request.outcome)}`);
  void offerLog(context, vscode.window.showInformationMessage(`Emberline: ${sentence}`, SHOW_LOG));
  return sentence;
}

export async function menu(context: EmberlineContext): Promise<void> {
  const { config } = context;
  const language = vscode.window.activeTextEditor?.document.languageId;
  const entries: MenuEntry[] = [
    config.completion.enabled
      ? { icon: 'circle-slash', label: 'Turn off', command: 'emberline.disable' }
      : { icon: 'flame', label: 'Turn on', command: 'emberline.enable' },
  ];
  if (language !== undefined) {
    const verb = config.isEnabledFor(language) ? 'Turn off' : 'Turn on';
    entries.push({ icon: 'code', label: `${verb} for ${language}`, command: 'emberline.toggleLanguage' });
  }
  entries.push(
    { icon: 'sparkle', label: 'Suggest now', command: 'emberline.trigger' },
    { icon: 'question', label: 'Why was nothing suggested?', command: 'emberline.explain' },
    { icon: 'debug-restart', label: 'Restart the engine', command: 'emberline.restart' },
    { icon: 'output', label: 'Show the log', command: 'emberline.showLog' },
    { icon: 'gear', label: 'Settings', command: 'emberline.openSettings' },
  );
  await showMenu('Emberline', entries);
}

export async function openSettings(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:emberline.emberline');
}

const SHOW_LOG = 'Show Log';
const RESTART = 'Restart';

/** One message for a failed engine: what happened, and what can be done. */
export async function reportFailure(context: EmberlineContext, code: string, message: string): Promise<void> {
  const answer = await vscode.window.showErrorMessage(`Emberline: ${message} (${code})`, RESTART, SHOW_LOG);
  if (answer === RESTART) await restart(context);
  if (answer === SHOW_LOG) showLog(context);
}

async function offerLog(context: EmberlineContext, answer: Thenable<string | undefined>): Promise<void> {
  if ((await answer) === SHOW_LOG) showLog(context);
}
