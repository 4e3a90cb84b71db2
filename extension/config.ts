/** The only reader and writer of settings. */
import * as vscode from 'vscode';
import type { EngineOptions } from '../core/engine/engine';
import { DEVICES } from '../core/engine/native_types';
import {
  type CompletionOptions,
  DEFAULT_OPTIONS,
  DRAFTING,
  languageEnabled,
} from '../core/completion/options';
import {
  DEFAULT_SAMPLING,
  MAX_SEED,
  type SamplingOptions,
  SEED_OF_PROMPT,
} from '../core/completion/sampling';
import { DEFAULT_GENERATE, type GenerateOptions, KEEP_PARTIAL } from '../core/generate/options';
import { boolean, flags, integer, number, oneOf, path, strings } from './setting_values';

const SECTION = 'emberline';

/** An empty `modelPath` is the embedded model's, an empty `draftPath` no draft model's. */
export type EngineSettings = Required<Pick<EngineOptions, 'modelPath' | 'draftPath' | 'threads' | 'device'>>;

/** Reads each setting once and again when it changes, so that a keystroke costs no look-up. */
export class Config implements vscode.Disposable {
  private completionOptions = readCompletion();
  private generateOptions = readGenerate();
  private engineOptions = readEngine();
  private readonly completionChanged = new vscode.EventEmitter<CompletionOptions>();
  private readonly engineChanged = new vscode.EventEmitter<EngineSettings>();
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

  get generate(): GenerateOptions {
    return this.generateOptions;
  }

  get engine(): EngineSettings {
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
    const engineDiffers = !sameEngine(engine, this.engineOptions);
    this.completionOptions = readCompletion();
    this.generateOptions = readGenerate();
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
    maxTokens: integer(settings.get('completion.maxTokens'), fallback.maxTokens, 1, 256),
    promptTokens: integer(settings.get('completion.promptTokens'), fallback.promptTokens, 0, 4_096),
    minimumConfidence: number(settings.get('completion.minimumConfidence'), fallback.minimumConfidence, 0, 1),
    delayMs: number(settings.get('completion.delay'), fallback.delayMs, 0, 2_000),
    sampling: readSampling(settings),
    drafting: oneOf(settings.get('drafting'), DRAFTING, fallback.drafting),
    jsonSchemas: boolean(settings.get('json.schemas'), fallback.jsonSchemas),
  };
}

function readSampling(settings: vscode.WorkspaceConfiguration): SamplingOptions {
  const fallback = DEFAULT_SAMPLING;
  return {
    temperature: number(settings.get('sampling.temperature'), fallback.temperature, 0, 2),
    topK: integer(settings.get('sampling.topK'), fallback.topK, 0, 1_000),
    topP: number(settings.get('sampling.topP'), fallback.topP, 0, 1),
    minP: number(settings.get('sampling.minP'), fallback.minP, 0, 1),
    repeatPenalty: number(settings.get('sampling.repeatPenalty'), fallback.repeatPenalty, 1, 2),
    seed: integer(settings.get('sampling.seed'), fallback.seed, SEED_OF_PROMPT, MAX_SEED),
  };
}

function readGenerate(): GenerateOptions {
  const settings = section();
  const fallback = DEFAULT_GENERATE;
  return {
    maxTokens: integer(settings.get('generate.maxTokens'), fallback.maxTokens, 1, 2_048),
    keepPartial: oneOf(settings.get('generate.keepPartial'), KEEP_PARTIAL, fallback.keepPartial),
  };
}

function readEngine(): EngineSettings {
  const settings = section();
  return {
    modelPath: path(settings.get('model.path')),
    draftPath: path(settings.get('draft.model')),
    threads: integer(settings.get('engine.threads'), 0, 0, 64),
    device: oneOf(settings.get('device'), DEVICES, 'auto'),
  };
}

function sameEngine(one: EngineSettings, other: EngineSettings): boolean {
  return (
    one.modelPath === other.modelPath &&
    one.draftPath === other.draftPath &&
    one.threads === other.threads &&
    one.device === other.device
  );
}
