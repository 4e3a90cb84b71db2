/** What each command does; `main.ts` registers them under their names. */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { PAUSES } from '../core/completion/pause';
import { type Reason, REASONS } from '../core/completion/reasons';
import { REMEDIES } from '../core/completion/remedies';
import { SCHEMA_USES } from '../core/completion/schema_use';
import { summaryOf } from '../core/completion/summary';
import type { EmberlineContext } from './context';
import { TOLD_EDITS } from '../core/edit/edit_endings';
import {
  type EditKind,
  editSelectionKind,
  generateLinesKind,
  type StructuredEdit,
} from './edit/structured_editor';
import { TOLD } from '../core/generate/endings';
import type { Generation } from './generate/generator';
import type { ChoiceEnding } from './models/model_choice';
import { choosePause } from './pausing';
import type { GivenRemote, RemoteEnding } from './remote/remote_choice';
import { copyReport as copyOpenReport, hasIssuePage, openReport } from './report';
import { type MenuEntry, showMenu } from './status_bar';
import { editorShowsSuggestions, openScratch } from './try_it';

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
      vscode.l10n.t('Emberline: open a file first; its language is what is turned on or off.'),
    );
    return;
  }
  await context.config.setEnabledFor(language, !context.config.isEnabledFor(language));
}

/** @param binding What the key binding says: `instead` where there is a suggestion on the screen, which gives way. */
export function trigger(context: EmberlineContext, binding?: unknown): Promise<void> {
  const names = typeof binding === 'object' && binding !== null && 'instead' in binding;
  return context.provider.trigger(names && binding.instead === true);
}

/** Opens a file in which a suggestion is certain, and has it made. */
export async function tryIt(context: EmberlineContext): Promise<void> {
  const editor = await openScratch(vscode.window.activeTextEditor?.document.languageId);
  if (!editorShowsSuggestions(editor)) {
    const open = vscode.l10n.t('Open the Setting');
    const told = vscode.l10n.t(
      'Emberline: VS Code itself shows no suggestions here (setting editor.inlineSuggest.enabled).',
    );
    if ((await vscode.window.showInformationMessage(told, open)) === open)
      await vscode.commands.executeCommand('workbench.action.openSettings', 'editor.inlineSuggest.enabled');
    return;
  }
  await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
  await context.provider.askAgain();
  const { held } = context;
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
  await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
}

/** Lets the model go on at the cursor. Returns how that ended, for whoever runs the command from code. */
export async function generate(context: EmberlineContext): Promise<Generation> {
  // The suggestion at the cursor and the text would stand in each other's way.
  await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
  const generation = await context.generator.generate(vscode.window.activeTextEditor);
  // What broke the engine is reported where the engine is.
  if (TOLD.has(generation.ending) && context.engine.state !== 'failed')
    tell(context, vscode.l10n.t(generation.sentence));
  return generation;
}

/** Has the model write lines at the cursor that an instruction asks for; the user sees them before they are there. */
export function generateLines(context: EmberlineContext, instruction?: unknown): Promise<StructuredEdit> {
  return editWith(context, generateLinesKind(), instruction);
}

/** Has the model edit the selected lines as an instruction says; the user sees the edit before it is made. */
export function editSelection(context: EmberlineContext, instruction?: unknown): Promise<StructuredEdit> {
  return editWith(context, editSelectionKind(), instruction);
}

export function applyEdit(context: EmberlineContext): void {
  context.editor.choose('apply');
}

export function discardEdit(context: EmberlineContext): void {
  context.editor.choose('discard');
}

/** Shows the next of the edits, or of the texts at the cursor, that were made, and behind the last one has the model make another. */
export async function nextCandidate(context: EmberlineContext): Promise<void> {
  if (context.editor.previewing) context.editor.choose('next');
  else await lookedAt(context, context.generator.choose('next'));
}

export async function previousCandidate(context: EmberlineContext): Promise<void> {
  if (context.editor.previewing) context.editor.choose('previous');
  // At the first one there is nothing to say.
  else await context.generator.choose('previous');
}

/** @param instruction What is to be otherwise; asked for where it is no text. */
export async function editAgain(context: EmberlineContext, instruction?: unknown): Promise<void> {
  const given = typeof instruction === 'string' ? instruction : undefined;
  if (context.editor.previewing) context.editor.again(given);
  else await lookedAt(context, context.generator.again(given));
}

async function lookedAt(context: EmberlineContext, looking: Promise<Generation>): Promise<void> {
  const generation = await looking;
  if (TOLD.has(generation.ending) && context.engine.state !== 'failed')
    tell(context, vscode.l10n.t(generation.sentence));
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
  if (TOLD_EDITS.has(edit.ending) && context.engine.state !== 'failed')
    tell(context, vscode.l10n.t(edit.sentence));
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
  const chosen =
    typeof path === 'string' ? models.use(path, basename(path) || vscode.l10n.t('it')) : models.choose();
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

/**
 * Has suggestions come from a remote engine, once the user has seen what is sent. Returns how that ended, for whoever runs the command from code.
 * @param given What need not be asked for.
 */
export async function useRemoteEngine(context: EmberlineContext, given?: unknown): Promise<RemoteEnding> {
  const ending = await context.remote.choose(givenOf(given));
  if (ending.kind === 'chosen') {
    const { t } = vscode.l10n;
    const { host, model } = ending;
    const told =
      model === ''
        ? t('Suggestions now come from {0}; where it does not answer, from this machine.', host)
        : t(
            'Suggestions now come from {0} on {1}; where it does not answer, from this machine.',
            model,
            host,
          );
    void vscode.window.showInformationMessage(`Emberline: ${told}`);
  }
  return toldOfRemote(context, ending);
}

/** Has suggestions come from this machine alone. */
export async function useLocalEngine(context: EmberlineContext): Promise<void> {
  await context.remote.leave();
}

/** @param key Asked for where it is no text; empty: cleared. */
export async function setRemoteKey(context: EmberlineContext, key?: unknown): Promise<RemoteEnding> {
  return toldOfRemote(context, await context.remote.setKey(typeof key === 'string' ? key : undefined));
}

function toldOfRemote(context: EmberlineContext, ending: RemoteEnding): RemoteEnding {
  if (ending.kind !== 'failed') return ending;
  const { code, message } = ending.error;
  context.log.failed(ending.error);
  void offerLog(context, vscode.window.showErrorMessage(`Emberline: ${message} (${code})`, showLogButton()));
  return ending;
}

function givenOf(given: unknown): GivenRemote {
  if (typeof given !== 'object' || given === null) return {};
  const text = (name: keyof GivenRemote): Partial<GivenRemote> => {
    const value: unknown = Object.entries(given).find(([key]) => key === name)?.[1];
    return typeof value === 'string' ? { [name]: value } : {};
  };
  return { ...text('url'), ...text('key'), ...text('model') };
}

function toldOf(context: EmberlineContext, ending: ChoiceEnding): ChoiceEnding {
  if (ending.kind !== 'refused' && ending.kind !== 'failed') return ending;
  const { code, message } = ending.error;
  context.log.failed(ending.error);
  const told = `Emberline: ${message}`;
  if (code === 'CANCELLED') void vscode.window.showInformationMessage(told);
  else void offerLog(context, vscode.window.showErrorMessage(`${told} (${code})`, showLogButton()));
  return ending;
}

export async function restart(context: EmberlineContext): Promise<void> {
  context.log.note('engine restart requested');
  await context.engine.start();
}

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

/** Says why nothing is suggested at the moment, or why the last request ended as it did. Returns the sentence, for whoever runs the command from code. */
export function explain(context: EmberlineContext): string {
  const { held, status } = context;
  // What holds now comes before what ended the last request.
  if (held !== undefined && (status === 'paused' || status === 'off')) return tellHeld(context, held);
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
  tell(context, `${sentence} ${vscode.l10n.t(REMEDIES[reason])}`);
  return sentence;
}

export async function menu(context: EmberlineContext): Promise<void> {
  await showMenu('Emberline', menuEntries(context));
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

/** Shows what the engine does on this machine. */
export function showDashboard(context: EmberlineContext): void {
  context.dashboard.show();
}

export async function openSettings(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:emberline.emberline');
}

const MODEL_TO_BLAME: ReadonlySet<string> = new Set(['MODEL_CRASHED', 'MODEL_TOO_SLOW']);

/** One message for a failed engine: what happened, and what can be done. */
export async function reportFailure(context: EmberlineContext, code: string, message: string): Promise<void> {
  const choose = vscode.l10n.t('Choose Model');
  const again = MODEL_TO_BLAME.has(code) ? vscode.l10n.t('Try Again') : vscode.l10n.t('Restart');
  const log = showLogButton();
  const choices = MODEL_TO_BLAME.has(code) ? [choose, again, log] : [again, log];
  const answer = await vscode.window.showErrorMessage(`Emberline: ${message} (${code})`, ...choices);
  if (answer === choose) await chooseModel(context);
  if (answer === again) await restart(context);
  if (answer === log) showLog(context);
}

/** Why nothing is suggested at the moment, and what to do; returns the first. */
function tellHeld(context: EmberlineContext, held: Reason): string {
  const sentence = vscode.l10n.t(REASONS[held]);
  tell(context, `${sentence} ${vscode.l10n.t(REMEDIES[held])}`);
  return sentence;
}

/** A sentence, and the way to the log. */
function tell(context: EmberlineContext, sentence: string): void {
  void offerLog(context, vscode.window.showInformationMessage(`Emberline: ${sentence}`, showLogButton()));
}

function showLogButton(): string {
  return vscode.l10n.t('Show Log');
}

async function offerLog(context: EmberlineContext, answer: Thenable<string | undefined>): Promise<void> {
  if ((await answer) === showLogButton()) showLog(context);
}
