/** What each command does; `main.ts` registers them under their names. */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { PAUSES } from '../core/completion/pause';
import { REASONS } from '../core/completion/reasons';
import { REMEDIES } from '../core/completion/remedies';
import { SCHEMA_USES } from '../core/completion/schema_use';
import { summaryOf } from '../core/completion/summary';
import type { EmberlineContext } from './context';
import { TOLD_EDITS } from '../core/edit/edit_endings';
import { EDIT_SELECTION, type EditKind, GENERATE_LINES, type StructuredEdit } from './edit/structured_editor';
import { TOLD } from '../core/generate/endings';
import type { Generation } from './generate/generator';
import type { ChoiceEnding } from './models/model_choice';
import { choosePause } from './pausing';
import { copyReport as copyOpenReport, hasIssuePage, openReport } from './report';
import { type MenuEntry, showMenu } from './status_bar';

/** Whoever turns suggestions on has them on: a pause is over. */
export async function enable(context: EmberlineContext): Promise<void> {
  context.resume();
  await context.config.setEnabled(true);
}

export async function disable(context: EmberlineContext): Promise<void> {
  await context.config.setEnabled(false);
}

/**
 * Nothing is suggested for a while.
 * @param length Not asked for where it is one of PAUSES.
 */
export async function pause(context: EmberlineContext, length?: unknown): Promise<void> {
  const chosen = PAUSES.find((one) => one === length) ?? (await choosePause());
  if (chosen !== undefined) await context.pause(chosen);
}

export function resume(context: EmberlineContext): void {
  context.resume();
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

/** What Escape does where a suggestion is shown: it goes, and is not offered again there. */
export async function dismiss(context: EmberlineContext): Promise<void> {
  context.provider.dismiss();
  await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
}

/** Lets the model go on at the cursor. Returns how that ended, for whoever runs the command from code. */
export async function generate(context: EmberlineContext): Promise<Generation> {
  // The suggestion at the cursor and the text would stand in each other's way.
  await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
  const generation = await context.generator.generate(vscode.window.activeTextEditor);
  // What broke the engine is reported where the engine is.
  if (TOLD.has(generation.ending) && context.engine.state !== 'failed') {
    const message = `Emberline: ${generation.sentence}`;
    void offerLog(context, vscode.window.showInformationMessage(message, SHOW_LOG));
  }
  return generation;
}

/** Has the model write lines at the cursor that an instruction asks for; the user sees them before they are there. */
export function generateLines(context: EmberlineContext, instruction?: unknown): Promise<StructuredEdit> {
  return editWith(context, GENERATE_LINES, instruction);
}

/** Has the model edit the selected lines as an instruction says; the user sees the edit before it is made. */
export function editSelection(context: EmberlineContext, instruction?: unknown): Promise<StructuredEdit> {
  return editWith(context, EDIT_SELECTION, instruction);
}

export function applyEdit(context: EmberlineContext): void {
  context.editor.decide(true);
}

export function discardEdit(context: EmberlineContext): void {
  context.editor.decide(false);
}

/** @param instruction Asked for where it is no text; others give it in code. */
async function editWith(
  context: EmberlineContext,
  kind: EditKind,
  instruction: unknown,
): Promise<StructuredEdit> {
  await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
  const given = typeof instruction === 'string' ? instruction : undefined;
  const edit = await context.editor.edit(vscode.window.activeTextEditor, kind, given);
  if (TOLD_EDITS.has(edit.ending) && context.engine.state !== 'failed') {
    void offerLog(context, vscode.window.showInformationMessage(`Emberline: ${edit.sentence}`, SHOW_LOG));
  }
  return edit;
}

export function stopGenerating(context: EmberlineContext): void {
  context.generator.stop();
  context.editor.stop();
}

/**
 * Lets the user choose a model. Returns how that ended, for whoever runs the command from code.
 * @param path Not asked for where it is a text; empty: the embedded model.
 */
export async function chooseModel(context: EmberlineContext, path?: unknown): Promise<ChoiceEnding> {
  const { models } = context;
  const chosen = typeof path === 'string' ? models.use(path, basename(path) || 'it') : models.choose();
  return toldOf(context, await chosen);
}

/** Lets the user download a model of the catalogue, and changes to it. */
export async function downloadModel(context: EmberlineContext): Promise<ChoiceEnding> {
  return toldOf(context, await context.models.download());
}

/** Shows what was downloaded. */
export async function manageModels(context: EmberlineContext): Promise<ChoiceEnding> {
  return toldOf(context, await context.models.manage());
}

function toldOf(context: EmberlineContext, ending: ChoiceEnding): ChoiceEnding {
  if (ending.kind !== 'refused' && ending.kind !== 'failed') return ending;
  const { code, message } = ending.error;
  context.log.failed(ending.error);
  const told = `Emberline: ${message}`;
  if (code === 'CANCELLED') void vscode.window.showInformationMessage(told);
  else void offerLog(context, vscode.window.showErrorMessage(`${told} (${code})`, SHOW_LOG));
  return ending;
}

export async function restart(context: EmberlineContext): Promise<void> {
  context.log.note('engine restart requested');
  await context.engine.start();
}

/** Opens a report about a problem in an editor, and offers to copy it. Returns once it can be read. */
export async function reportIssue(context: EmberlineContext): Promise<void> {
  const { manifest } = context;
  await openReport(manifest, context.ownFacts);
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

/** Says why the last request ended as it did. Returns the sentence, for whoever runs the command from code. */
export function explain(context: EmberlineContext): string {
  const request = context.lastDecided ?? context.last;
  if (request === undefined) {
    const sentence = 'No suggestion was asked for yet.';
    void vscode.window.showInformationMessage(`Emberline: ${sentence}`);
    return sentence;
  }
  const { reason, schema } = request.outcome;
  // That a schema was followed is what one expects.
  const unbound = schema === undefined || schema.use === 'bound' ? '' : ` ${SCHEMA_USES[schema.use]}`;
  const sentence = REASONS[reason] + unbound;
  const remedy = vscode.l10n.t(REMEDIES[reason]);
  context.log.note(`explained #${request.sequence}: ${summaryOf(request.outcome)}`);
  void offerLog(context, vscode.window.showInformationMessage(`Emberline: ${sentence} ${remedy}`, SHOW_LOG));
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
    context.writing
      ? { icon: 'debug-stop', label: 'Stop generating', command: 'emberline.stopGenerating' }
      : { icon: 'wand', label: 'Generate at the cursor', command: 'emberline.generate' },
    { icon: 'edit', label: 'Edit the selection…', command: 'emberline.editSelection' },
    { icon: 'question', label: 'Why was nothing suggested?', command: 'emberline.explain' },
    { icon: 'file-binary', label: 'Choose a model…', command: 'emberline.chooseModel' },
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
const CHOOSE = 'Choose Model';
const TRY_AGAIN = 'Try Again';
const MODEL_TO_BLAME: ReadonlySet<string> = new Set(['MODEL_CRASHED', 'MODEL_TOO_SLOW']);

/** One message for a failed engine: what happened, and what can be done. */
export async function reportFailure(context: EmberlineContext, code: string, message: string): Promise<void> {
  const choices = MODEL_TO_BLAME.has(code) ? [CHOOSE, TRY_AGAIN, SHOW_LOG] : [RESTART, SHOW_LOG];
  const answer = await vscode.window.showErrorMessage(`Emberline: ${message} (${code})`, ...choices);
  if (answer === CHOOSE) await chooseModel(context);
  if (answer === RESTART || answer === TRY_AGAIN) await restart(context);
  if (answer === SHOW_LOG) showLog(context);
}

async function offerLog(context: EmberlineContext, answer: Thenable<string | undefined>): Promise<void> {
  if ((await answer) === SHOW_LOG) showLog(context);
}
