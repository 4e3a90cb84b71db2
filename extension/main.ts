/** Where VS Code enters: activate and deactivate. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { EmberlineApi } from './api';
import { reportFailure } from './commands/engines';
import { COMMANDS } from './commands/table';
import { EmberlineContext } from './context';
import { clearContextKeys } from './context_keys';
import { engineOptions, modelCheck, modelLoader } from './model_loader';
import { GuardedModels } from './models/guarded_models';
import type { Manifest } from './report';
import { welcome } from './welcome';
import { LoadRecord } from '../core/models/load_record';
import { tryModel } from '../core/models/model_trial';
import { removeUnfinished } from '../core/models/unfinished_files';

let active: EmberlineContext | undefined;
let record: LoadRecord | undefined;

/** Tokens of a trial's context: for the one that it writes. */
const TRIAL_CONTEXT = 512;

export function activate(extension: vscode.ExtensionContext): EmberlineApi {
  const started = performance.now();
  clearContextKeys();
  const storage = extension.globalStorageUri.fsPath;
  const models = guardedModels(extension.extensionPath, storage);
  const context = new EmberlineContext({
    root: extension.extensionPath,
    storage,
    secrets: extension.secrets,
    state: extension.globalState,
    manifest: extension.extension.packageJSON as Manifest,
    load: models.load,
    check: models.check,
  });
  active = context;
  for (const [name, run] of Object.entries(COMMANDS)) {
    context.own(vscode.commands.registerCommand(name, (...given: unknown[]) => run(context, ...given)));
  }
  context.own(context.onDidFailEngine(({ code, message }) => void reportFailure(context, code, message)));
  // Opening the addon and the model is left to the next turn: activation delays other extensions.
  setImmediate(() => {
    void context.engine.start();
    void context.startRemote();
    void welcome(extension.globalState);
    void removeUnfinished([storage, join(storage, 'loads'), join(storage, 'packed')]);
  });
  context.activationMs = performance.now() - started;
  context.log.activated(context.manifest.version, context.activationMs);
  return context;
}

export async function deactivate(): Promise<void> {
  record?.leave();
  await active?.close();
  active = undefined;
}

function guardedModels(root: string, storage: string): GuardedModels {
  record = new LoadRecord(join(storage, 'loads'));
  const script = join(root, 'dist', 'trial.cjs');
  return new GuardedModels({
    load: modelLoader(root, storage),
    check: modelCheck(root),
    record,
    tryModel: async (settings, signal) => {
      const context = Math.min(settings.context, TRIAL_CONTEXT);
      const options = await engineOptions(root, storage, { ...settings, context });
      return options.ok ? tryModel(options.value, { script, signal }) : options;
    },
  });
}
