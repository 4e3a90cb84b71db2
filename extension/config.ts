/** The only reader and writer of settings. */
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { type CompletionOptions, languageEnabled } from '../core/completion/options';
import type { GenerateOptions } from '../core/generate/options';
import {
  type DownloadSettings,
  type EngineSettings,
  readCompletion,
  readDownloads,
  readEngine,
  readGenerate,
  readRemote,
  type RemoteSettings,
  type Setting,
} from './settings';

const SECTION = 'emberline';

/** Reads each setting once and again when it changes, so that a keystroke costs no look-up. */
export class Config implements vscode.Disposable {
  private completionOptions = readCompletion(setting);
  private generateOptions = readGenerate(setting);
  private engineOptions = readEngine(setting);
  private remoteOptions = readRemote(setting);
  private readonly completionChanged = new vscode.EventEmitter<CompletionOptions>();
  private readonly engineChanged = new vscode.EventEmitter<EngineSettings>();
  private readonly remoteChanged = new vscode.EventEmitter<RemoteSettings>();
  private readonly subscription: vscode.Disposable;

  readonly onDidChangeCompletion = this.completionChanged.event;
  /** Fires when the engine must be loaded again. */
  readonly onDidChangeEngine = this.engineChanged.event;
  readonly onDidChangeRemote = this.remoteChanged.event;

  constructor() {
    this.subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(SECTION)) this.refresh();
    });
  }

  get completion(): CompletionOptions {
    return this.completionOptions;
  }

  get generate(): GenerateOptions {
    return this.generateOptions;
  }

  get engine(): EngineSettings {
    return this.engineOptions;
  }

  get remote(): RemoteSettings {
    return this.remoteOptions;
  }

  /** Read when it is needed, which is seldom. */
  get downloads(): DownloadSettings {
    return readDownloads(setting);
  }

  isEnabledFor(languageId: string): boolean {
    return languageEnabled(this.completionOptions.languages, languageId);
  }

  async setEnabled(enabled: boolean): Promise<void> {
    await update('enable', enabled);
  }

  async setEnabledFor(languageId: string, enabled: boolean): Promise<void> {
    const languages = section().inspect<Record<string, boolean>>('languages');
    const own = languages?.workspaceValue ?? languages?.globalValue;
    await update('languages', { ...own, [languageId]: enabled });
  }

  /** @param path Empty: the embedded model. In the user's settings: no workspace chooses a file. */
  async setModelPath(path: string): Promise<void> {
    const value = path === '' ? undefined : path;
    await section().update('model.path', value, vscode.ConfigurationTarget.Global);
  }

  /** In the user's settings: no workspace chooses where text goes. Empty: the default. */
  async setRemote({ url, model }: Pick<RemoteSettings, 'url' | 'model'>): Promise<void> {
    const { Global } = vscode.ConfigurationTarget;
    await section().update('remote.model', model === '' ? undefined : model, Global);
    await section().update('remote.url', url === '' ? undefined : url, Global);
  }

  dispose(): void {
    this.subscription.dispose();
    this.completionChanged.dispose();
    this.engineChanged.dispose();
    this.remoteChanged.dispose();
  }

  private refresh(): void {
    const engine = readEngine(setting);
    const engineDiffers = !isDeepStrictEqual(engine, this.engineOptions);
    const remote = readRemote(setting);
    const remoteDiffers = !isDeepStrictEqual(remote, this.remoteOptions);
    this.completionOptions = readCompletion(setting);
    this.generateOptions = readGenerate(setting);
    this.engineOptions = engine;
    this.remoteOptions = remote;
    this.completionChanged.fire(this.completionOptions);
    if (engineDiffers) this.engineChanged.fire(engine);
    if (remoteDiffers) this.remoteChanged.fire(remote);
  }
}

function section(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(SECTION);
}

const setting: Setting = (name) => section().get(name);

/** Writes where the value is set already, in the workspace or for the user. */
async function update(key: string, value: unknown): Promise<void> {
  const inWorkspace = section().inspect(key)?.workspaceValue !== undefined;
  const target = inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await section().update(key, value, target);
}
