/** Commands of ghost text: on and off, asked for, taken, refused, explained. */
import * as vscode from 'vscode';
import { PAUSES } from '../../core/completion/pause';
import { type Reason, REASONS } from '../../core/completion/reasons';
import { REMEDIES } from '../../core/completion/remedies';
import { SCHEMA_USES } from '../../core/completion/schema_use';
import { summaryOf } from '../../core/completion/summary';
import { objectOf } from '../../core/http/json_values';
import type { EmberlineContext } from '../context';
import { choosePause } from '../pausing';
import type { Status } from '../status';
import { editorShowsSuggestions, openScratch, WORD_KEY } from '../try_it';
import { tell } from './telling';

/** Why nothing comes, whatever was asked before. */
const WITHOUT_ENGINE: Readonly<Partial<Record<Status, Reason>>> = {
  error: 'model_failed',
  loading: 'model_loading',
};

/** Whoever turns suggestions on has them on: a pause is over. */
export async function enable(context: EmberlineContext): Promise<void> {
  context.resume();
  await context.config.setEnabled(true);
}

export async function disable(context: EmberlineContext): Promise<void> {
  await context.config.setEnabled(false);
  await hideSuggestion();
}

/**
 * Nothing is suggested for a while.
 * @param length Not asked for where it is one of PAUSES.
 */
export async function pause(context: EmberlineContext, length?: unknown): Promise<void> {
  const chosen = PAUSES.find((one) => one === length) ?? (await choosePause());
  if (chosen === undefined) return;
  context.pause(chosen);
  await hideSuggestion();
}

export function resume(context: EmberlineContext): void {
  context.resume();
}

/** Turns suggestions on or off for the language of the active editor. */
export async function toggleLanguage(context: EmberlineContext): Promise<void> {
  const language = vscode.window.activeTextEditor?.document.languageId;
  if (language === undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Emberline: open a file first; its language is what is turned on or off.'),
    );
    return;
  }
  const enabled = !context.config.isEnabledFor(language);
  await context.config.setEnabledFor(language, enabled);
  if (!enabled) await hideSuggestion();
}

/** @param binding What the key binding says: `instead` where there is a suggestion on the screen, which gives way. */
export function trigger(context: EmberlineContext, binding?: unknown): Promise<void> {
  return context.provider.trigger(objectOf(binding)['instead'] === true);
}

/** Opens a file in which a suggestion is certain, and has it made. */
export async function tryIt(context: EmberlineContext): Promise<void> {
  const editor = await openScratch(vscode.window.activeTextEditor?.document.languageId);
  if (!editorShowsSuggestions(editor)) {
    tellEditorShowsNone();
    return;
  }
  await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
  await context.provider.askAgain();
  const { held = WITHOUT_ENGINE[context.status] } = context;
  if (held !== undefined) tellHeld(context, held);
}

/** What Tab does while a suggestion takes the place of a shorter one. */
export function accept(context: EmberlineContext): Promise<void> {
  return context.provider.accept();
}

/** What Escape does where a suggestion is shown: it goes, and is not offered again there. */
export async function dismiss(context: EmberlineContext): Promise<void> {
  context.provider.dismiss();
  context.statistics.dismissed();
  await hideSuggestion();
}

/** Takes what is shown off the screen. */
export async function hideSuggestion(): Promise<void> {
  await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
}

/** Says why nothing is suggested at the moment, or why the last request ended as it did. Returns the sentence, for whoever runs the command from code. */
export function explain(context: EmberlineContext): string {
  const { held, status } = context;
  // What holds now comes before what ended the last request.
  const now = status === 'paused' || status === 'off' ? held : WITHOUT_ENGINE[status];
  if (now !== undefined) return tellHeld(context, now);
  const editor = vscode.window.activeTextEditor;
  // What was asked before that was set, or by a key, is not why nothing comes.
  if (editor !== undefined && !editorShowsSuggestions(editor)) return tellEditorShowsNone();
  const request = context.lastDecided ?? context.last;
  if (request === undefined) {
    const sentence = vscode.l10n.t('No suggestion was asked for yet.');
    void vscode.window.showInformationMessage(`Emberline: ${sentence}`);
    return sentence;
  }
  const { reason, schema } = request.outcome;
  // That a schema was followed is what one expects.
  const unbound =
    schema === undefined || schema.use === 'bound' ? '' : ` ${vscode.l10n.t(SCHEMA_USES[schema.use])}`;
  const sentence = vscode.l10n.t(REASONS[reason]) + unbound;
  context.log.note(`explained #${request.sequence}: ${summaryOf(request.outcome)}`);
  tell(context, `${sentence} ${vscode.l10n.t(REMEDIES[reason], WORD_KEY)}`);
  return sentence;
}

/** Why nothing is suggested at the moment, and what to do; returns the first. */
function tellHeld(context: EmberlineContext, held: Reason): string {
  const sentence = vscode.l10n.t(REASONS[held]);
  tell(context, `${sentence} ${vscode.l10n.t(REMEDIES[held])}`);
  return sentence;
}

/** That by the editor's own setting none come by themselves, with the way to it; returns the sentence. */
function tellEditorShowsNone(): string {
  const open = vscode.l10n.t('Open the Setting');
  const told = vscode.l10n.t(
    'Emberline: VS Code asks for no suggestions by itself here (setting editor.inlineSuggest.enabled); Alt+\\ does.',
  );
  void vscode.window.showInformationMessage(told, open).then((answer) => {
    if (answer === open)
      void vscode.commands.executeCommand('workbench.action.openSettings', 'editor.inlineSuggest.enabled');
  });
  return told;
}
