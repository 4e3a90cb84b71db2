/** Commands that say which model makes suggestions and where it runs, or start it again; and what is said when it failed. */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { objectOf } from '../../core/http/json_values';
import type { EmberlineContext } from '../context';
import type { ChoiceEnding } from '../models/model_choice';
import type { GivenRemote, RemoteEnding } from '../remote/remote_choice';
import { showLog } from './reporting';
import { showLogButton, tellError } from './telling';

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

export async function restart(context: EmberlineContext): Promise<void> {
  context.log.note('engine restart requested');
  await context.engine.start();
}

const MODEL_TO_BLAME: ReadonlySet<string> = new Set(['MODEL_CRASHED', 'MODEL_TOO_SLOW']);

/** One message for a failed engine: what happened, and what can be done. */
export async function reportFailure(context: EmberlineContext, code: string, message: string): Promise<void> {
  const choose = vscode.l10n.t('Choose Model');
  const again = MODEL_TO_BLAME.has(code) ? vscode.l10n.t('Try Again') : vscode.l10n.t('Restart');
  const log = showLogButton();
  // A file that is gone, or cannot be read, is gone at the next start as well.
  const isChosen = MODEL_TO_BLAME.has(code) || context.config.engine.modelPath !== '';
  const choices = isChosen ? [choose, again, log] : [again, log];
  const answer = await vscode.window.showErrorMessage(`Emberline: ${message} (${code})`, ...choices);
  if (answer === choose) await chooseModel(context);
  if (answer === again) await restart(context);
  if (answer === log) showLog(context);
}

function toldOf(context: EmberlineContext, ending: ChoiceEnding): ChoiceEnding {
  if (ending.kind !== 'refused' && ending.kind !== 'failed') return ending;
  const { error } = ending;
  if (error.code === 'CANCELLED') {
    context.log.failed(error);
    void vscode.window.showInformationMessage(`Emberline: ${error.message}`);
  } else tellError(context, error);
  return ending;
}

function toldOfRemote(context: EmberlineContext, ending: RemoteEnding): RemoteEnding {
  if (ending.kind === 'failed') tellError(context, ending.error);
  return ending;
}

function givenOf(given: unknown): GivenRemote {
  const { url, key, model } = objectOf(given);
  return {
    ...(typeof url === 'string' && { url }),
    ...(typeof key === 'string' && { key }),
    ...(typeof model === 'string' && { model }),
  };
}
