/** Choosing a model: what is offered, how it is tried, and where the choice is kept. */
import { homedir } from 'node:os';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { addonPath, embeddedModelPath, loadAddon } from '../../core/engine/binding';
import type { NativeError } from '../../core/engine/native_result';
import { appraise, measuringOnce } from '../../core/models/appraisal';
import { findLocalModels } from '../../core/models/local_models';
import type { Config } from '../config';
import type { CheckModel } from '../model_loader';
import { withProgress } from '../progress';
import type { DownloadEnding, ModelDownloads } from './model_downloads';
import { askForPath, type Choice, pickModel } from './model_picker';

export interface ChoiceParts {
  /** The folder the extension is installed in. */
  readonly root: string;
  readonly config: Config;
  /** Whether a model can take the place of the one that runs. */
  readonly check: CheckModel;
  /** Bytes that the model that runs gives back. */
  readonly freed: () => number;
  /** Loads what the settings name. Settles when it runs, or does not. */
  readonly restart: () => Promise<void>;
  readonly downloads: ModelDownloads;
}

/** How a choice ended, for whoever runs the command from code. */
export type ChoiceEnding =
  | { readonly kind: 'none' }
  | { readonly kind: 'chosen'; readonly path: string }
  | { readonly kind: 'refused'; readonly path: string; readonly error: NativeError }
  | Extract<DownloadEnding, { readonly kind: 'failed' }>;

export class ModelChoice {
  private readonly parts: ChoiceParts;

  constructor(parts: ChoiceParts) {
    this.parts = parts;
  }

  /** Lets the user choose, and changes to what was chosen if it can run; what runs goes on until then. */
  async choose(): Promise<ChoiceEnding> {
    const choice = await this.pick();
    if (choice === undefined) return { kind: 'none' };
    if (!('ask' in choice)) return this.use(choice.path, choice.name);
    if (choice.ask === 'download') return this.download();
    const path = await askForPath(choice.ask);
    return path === undefined ? { kind: 'none' } : this.use(path, basename(path));
  }

  /** Lets the user choose from the catalogue, and changes to what was downloaded. */
  async download(): Promise<ChoiceEnding> {
    return this.useDownloaded(await this.parts.downloads.choose());
  }

  async manage(): Promise<ChoiceEnding> {
    return this.useDownloaded(await this.parts.downloads.manage());
  }

  private async useDownloaded(ending: DownloadEnding): Promise<ChoiceEnding> {
    return ending.kind === 'there' ? this.use(ending.path, ending.name) : ending;
  }

  /**
   * Tries a model and writes it to the user's settings; a workspace has none for it.
   * @param path Empty: the embedded model.
   */
  async use(path: string, name: string): Promise<ChoiceEnding> {
    const { config, check, freed } = this.parts;
    const settings = { ...config.engine, modelPath: path };
    const title = vscode.l10n.t('Emberline tries {0}', name);
    const checked = await withProgress(title, (signal) => check(settings, freed(), signal));
    if (!checked.ok) return { kind: 'refused', path, error: checked.error };
    if (path === config.engine.modelPath) await this.parts.restart();
    else await config.setModelPath(path);
    return { kind: 'chosen', path };
  }

  private async pick(): Promise<Choice | undefined> {
    const { root, config, freed, downloads } = this.parts;
    const addon = loadAddon(addonPath(root));
    if (!addon.ok) {
      void vscode.window.showErrorMessage(`Emberline: ${addon.error.message}`);
      return undefined;
    }
    const { modelPath, context, kvCache, threads, device } = config.engine;
    const { platform, env } = process;
    const measuring = { ...addon.value, ...measuringOnce(addon.value) };
    return pickModel({
      current: modelPath,
      embedded: embeddedModelPath(root),
      find: () => findLocalModels({ platform, env, home: homedir() }, downloads.folder),
      appraise: (path) => appraise(measuring, { path, context, kvCache, threads, device, freed: freed() }),
    });
  }
}
