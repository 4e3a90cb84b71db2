/** The only reader and writer of settings. */
import * as vscode from 'vscode';
import { DEVICES, type DeviceChoice } from './engine/native_types';
import { type CompletionOptions, DEFAULT_OPTIONS, languageEnabled } from './completion/options';

const SECTION = 'emberline';

export interface EngineOptions {
  /** Path of a GGUF file; empty for the embedded model. */
  readonly modelPath: string;
  /** Compute threads; 0 lets the engine choose. */
  readonly threads: number;
  readonly device: DeviceChoice;
}

/** Reads each setting once and again when it changes, so that a keystroke costs no look-up. */
export class Config implements vscode.Disposable {
  private completionOptions = readCompletion();
  private engineOptions = readEngine();
  private readonly completionChanged = new vscode.EventEmitter<CompletionOptions>();
  private readonly engineChanged = new vscode.EventEmitter<EngineOptions>();
  private readonly subscription: vscode.Disposable;

  readonly onDidChangeCompletion = this.completionChanged.event;
  /** Fires when the engine must be loaded again. */
  readonly onDidChangeEngine = this.engineChanged.event;

  constructor() {
    this.subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(SECTION)) this.refresh();
    });
  }

  get completion(): CompletionOptions {
    return this.completionOptions;
  }

  get engine(): EngineOptions {
    return this.engineOptions;
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

  dispose(): void {
    this.subscription.dispose();
    this.completionChanged.dispose();
    this.engineChanged.dispose();
  }

  private refresh(): void {
    const engine = readEngine();
    const { modelPath, threads, device } = this.engineOptions;
    const engineDiffers =
      engine.modelPath !== modelPath || engine.threads !== threads || engine.device !== device;
    this.completionOptions = readCompletion();
    this.engineOptions = engine;
    this.completionChanged.fire(this.completionOptions);
    if (engineDiffers) this.engineChanged.fire(engine);
  }
}

function section(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(SECTION);
}

/** Writes where the value is set already, in the workspace or for the user. */
async function update(key: string, value: unknown): Promise<void> {
  const inWorkspace = section().inspect(key)?.workspaceValue !== undefined;
  const target = inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await section().update(key, value, target);
}

function readCompletion(): CompletionOptions {
  const settings = section();
  const fallback = DEFAULT_OPTIONS;
  return {
    enabled: boolean(settings.get('enable'), fallback.enabled),
    languages: flags(settings.get('languages'), fallback.languages),
    excludedFiles: strings(settings.get('excludedFiles'), fallback.excludedFiles),
    maxTokens: Math.round(number(settings.get('completion.maxTokens'), fallback.maxTokens, 1, 256)),
    promptTokens: Math.round(
      number(settings.get('completion.promptTokens'), fallback.promptTokens, 0, 4_096),
    ),
    minimumConfidence: number(settings.get('completion.minimumConfidence'), fallback.minimumConfidence, 0, 1),
    delayMs: number(settings.get('completion.delay'), fallback.delayMs, 0, 2_000),
  };
}

function readEngine(): EngineOptions {
  const settings = section();
  const path: unknown = settings.get('model.path');
  return {
    modelPath: typeof path === 'string' ? path.trim() : '',
    threads: Math.round(number(settings.get('engine.threads'), 0, 0, 64)),
    device: DEVICES.find((device) => device === settings.get('device')) ?? 'auto',
  };
}

// What stands in a settings file can be of any type: the schema warns there, but does not convert.

function boolean(value: unknown, fallback: boolean): boolean {
  return typeof value === 'boolean' ? value : fallback;
}

function number(value: unknown, fallback: number, least: number, most: number): number {
  if (typeof value !== 'number' || Number.isNaN(value)) return fallback;
  return Math.min(most, Math.max(least, value));
}

function strings(value: unknown, fallback: readonly string[]): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : fallback;
}

function flags(
  value: unknown,
  fallback: Readonly<Record<string, boolean>>,
): Readonly<Record<string, boolean>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fallback;
  const entries = Object.entries(value).filter(
    (entry): entry is [string, boolean] => typeof entry[1] === 'boolean',
  );
  return Object.fromEntries(entries);
}
