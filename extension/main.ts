/** Where VS Code enters: activate, deactivate and the command table. */
import * as vscode from 'vscode';
import type { EmberlineApi } from './api';
import * as commands from './commands';
import { EmberlineContext } from './context';
import { modelCheck, modelLoader } from './model_loader';

type Command = (context: EmberlineContext, ...given: readonly unknown[]) => unknown;

/** Every command of package.json and what runs it; a test compares the two. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  'emberline.enable': commands.enable,
  'emberline.disable': commands.disable,
  'emberline.toggleLanguage': commands.toggleLanguage,
  'emberline.trigger': commands.trigger,
  'emberline.dismiss': commands.dismiss,
  'emberline.generate': commands.generate,
  'emberline.generateLines': commands.generateLines,
  'emberline.editSelection': commands.editSelection,
  'emberline.applyEdit': commands.applyEdit,
  'emberline.discardEdit': commands.discardEdit,
  'emberline.stopGenerating': commands.stopGenerating,
  'emberline.explain': commands.explain,
  'emberline.restart': commands.restart,
  'emberline.showLog': commands.showLog,
  'emberline.menu': commands.menu,
  'emberline.openSettings': commands.openSettings,
};

let active: EmberlineContext | undefined;

export function activate(extension: vscode.ExtensionContext): EmberlineApi {
  const started = performance.now();
  const context = new EmberlineContext(
    modelLoader(extension.extensionPath, extension.globalStorageUri.fsPath),
    modelCheck(extension.extensionPath),
    'emberline.menu',
  );
  active = context;
  for (const [name, run] of Object.entries(COMMANDS)) {
    context.own(vscode.commands.registerCommand(name, (...given: unknown[]) => run(context, ...given)));
  }
  context.own(
    context.onDidFailEngine(({ code, message }) => void commands.reportFailure(context, code, message)),
  );
  // Opening the addon and the model is left to the next turn: activation delays other extensions.
  setImmediate(() => void context.engine.start());
  context.activationMs = performance.now() - started;
  context.log.activated(versionOf(extension), context.activationMs);
  return context;
}

export async function deactivate(): Promise<void> {
  await active?.close();
  active = undefined;
}

function versionOf(extension: vscode.ExtensionContext): string {
  const manifest: unknown = extension.extension.packageJSON;
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
  return typeof version === 'string' ? version : '';
}
