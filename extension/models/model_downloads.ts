/** Models of the catalogue in the editor: chosen, told about, fetched with a progress that can be stopped, gone on with, and removed. */
import { totalmem } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { NativeError, NativeResult } from '../../core/engine/native_result';
import { CATALOGUE, type CatalogueModel } from '../../core/models/catalogue';
import { download, type DownloadProgress } from '../../core/models/download/download';
import { baseOf, hubFile, type HubFile } from '../../core/models/download/hub';
import { sizeText } from '../../core/models/size_text';
import {
  bytesUnder,
  removeStored,
  type StoredModel,
  storedModels,
  storedPath,
} from '../../core/models/stored_models';
import { withProgress } from '../progress';

/** A model larger than this part of the machine's memory leaves nothing for the rest. */
const MOST_OF_MEMORY = 0.7;

export interface DownloadsParts {
  /** The folder that VS Code gives the extension for data of its own. */
  readonly storage: string;
  readonly mirror: () => string;
  /** Path of the model in the settings. */
  readonly current: () => string;
  /** Changes to the embedded model, and settles when the other one is closed. */
  readonly leave: () => Promise<void>;
}

interface ModelItem extends vscode.QuickPickItem {
  readonly model?: CatalogueModel;
  readonly stored?: StoredModel | undefined;
}

/** `stopped` has its error as well: it says what is kept. */
export type DownloadEnding =
  | { readonly kind: 'none' }
  | { readonly kind: 'there'; readonly path: string; readonly name: string }
  | { readonly kind: 'failed'; readonly error: NativeError };

export class ModelDownloads {
  private readonly parts: DownloadsParts;
  private readonly show: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('folder-opened'),
    tooltip: vscode.l10n.t('Show in Folder'),
  };
  private readonly delete: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('trash'),
    tooltip: vscode.l10n.t('Delete'),
  };

  constructor(parts: DownloadsParts) {
    this.parts = parts;
  }

  /** Where downloads are kept. */
  get folder(): string {
    return join(this.parts.storage, 'models');
  }

  /** Lets the user choose from the catalogue, and fetches what was chosen. */
  async choose(): Promise<DownloadEnding> {
    const stored = await storedModels(this.folder);
    const items = CATALOGUE.map((model) => catalogueItem(model, stored));
    const chosen = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Emberline: Download Model'),
      placeHolder: placeHolderOf(baseOf(this.parts.mirror())?.host),
      matchOnDetail: true,
    });
    return chosen?.model === undefined ? { kind: 'none' } : this.fetch(chosen.model);
  }

  /** Asks what the file is, says it, and fetches it if the user still wants it. A part that is there is gone on with. */
  async fetch(model: CatalogueModel): Promise<DownloadEnding> {
    const path = storedPath(this.folder, model);
    const there = (await storedModels(this.folder)).find((one) => one.path === path);
    if (there !== undefined && there.of === undefined) return { kind: 'there', path, name: model.name };
    const title = vscode.l10n.t('Emberline asks about {0}', model.name);
    const file = await withProgress(title, (signal) => hubFile(model, this.parts.mirror(), signal));
    if (!file.ok) return { kind: 'failed', error: file.error };
    const verb = there === undefined ? vscode.l10n.t('Download') : vscode.l10n.t('Go On');
    const answer = await vscode.window.showInformationMessage(
      there === undefined
        ? vscode.l10n.t('Download {0}?', model.name)
        : vscode.l10n.t('Go on with {0}?', model.name),
      { modal: true, detail: detailOf(model, file.value, there) },
      verb,
    );
    if (answer !== verb) return { kind: 'none' };
    const result = await this.fetchFile(model, path, file.value);
    return result.ok ? { kind: 'there', path, name: model.name } : { kind: 'failed', error: result.error };
  }

  /** What is stored: shown in its folder, gone on with, or removed. */
  async manage(): Promise<DownloadEnding> {
    const stored = await storedModels(this.folder);
    const packed = await bytesUnder(join(this.parts.storage, 'packed'));
    const total = stored.reduce((sum, { bytes }) => sum + bytes, 0);
    const items: ModelItem[] = stored.map((one) => this.storedItem(one));
    const more: ModelItem = { label: `$(cloud-download) ${vscode.l10n.t('Download a model…')}` };
    const picker = vscode.window.createQuickPick<ModelItem>();
    picker.title = vscode.l10n.t(
      'Emberline: Manage Models ({0} of models, {1} of packed copies on the disk)',
      sizeText(total),
      sizeText(packed),
    );
    picker.placeholder =
      stored.length === 0
        ? vscode.l10n.t('No model was downloaded yet')
        : vscode.l10n.t('Choose one to use it or to go on with it');
    picker.items = [...items, more];
    interface Done {
      readonly item: ModelItem;
      readonly button?: vscode.QuickInputButton;
    }
    const done = await new Promise<Done | undefined>((resolve) => {
      picker.onDidAccept(() => {
        const [item] = picker.activeItems;
        if (item !== undefined) resolve({ item });
        picker.hide();
      });
      picker.onDidTriggerItemButton(({ item, button }) => {
        resolve({ item, button });
        picker.hide();
      });
      picker.onDidHide(() => resolve(undefined));
      picker.show();
    });
    picker.dispose();
    if (done === undefined) return { kind: 'none' };
    const { stored: one } = done.item;
    if (one === undefined) return this.choose();
    if (done.button === this.show) {
      await show(one.of === undefined ? one.path : this.folder);
      return { kind: 'none' };
    }
    return done.button === this.delete ? this.remove(one) : this.fetch(one.model);
  }

  /** Asks first. */
  private async remove(stored: StoredModel): Promise<DownloadEnding> {
    const used = stored.path === this.parts.current();
    const detail = used
      ? vscode.l10n.t('It is in use; the model that comes with Emberline takes its place.')
      : undefined;
    const yes = vscode.l10n.t('Delete');
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t('Delete {0} ({1})?', stored.model.name, sizeText(stored.bytes)),
      { modal: true, ...(detail === undefined ? {} : { detail }) },
      yes,
    );
    if (answer !== yes) return { kind: 'none' };
    if (used) await this.parts.leave();
    try {
      await removeStored(stored);
      return { kind: 'none' };
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'the system does not let it';
      const message = `${stored.model.name} could not be deleted (${reason}); close other windows of the editor, and delete it again.`;
      return { kind: 'failed', error: { code: 'FILE_ACCESS_DENIED', message } };
    }
  }

  private async fetchFile(model: CatalogueModel, path: string, file: HubFile): Promise<NativeResult<string>> {
    return withProgress(vscode.l10n.t('Emberline downloads {0}', model.name), (signal, progress) => {
      let percent = 0;
      const show = ({ phase, done, total }: DownloadProgress): void => {
        const now = Math.floor((100 * done) / total);
        if (now === percent && done !== total) return;
        const message =
          phase === 'checking'
            ? vscode.l10n.t('checking {0}, {1} %', sizeText(total), now)
            : vscode.l10n.t('{0} of {1}, {2} %', sizeText(done), sizeText(total), now);
        progress.report({ message, increment: phase === 'fetching' ? Math.max(0, now - percent) : 0 });
        percent = now;
      };
      return download({ ...file, path }, { signal, progress: show });
    });
  }

  private storedItem(stored: StoredModel): ModelItem {
    const { model, bytes, of, path } = stored;
    const used = path === this.parts.current();
    return {
      label: `$(${used ? 'check' : of === undefined ? 'file-binary' : 'debug-pause'}) ${model.name}`,
      description: [model.quantization, sizeText(bytes), ...(used ? [vscode.l10n.t('in use')] : [])].join(
        ' · ',
      ),
      detail:
        of === undefined
          ? path
          : vscode.l10n.t('Stopped at {0} % of {1}; choose it to go on', percentOf(bytes, of), sizeText(of)),
      buttons: [this.show, this.delete],
      model,
      stored,
    };
  }
}

function percentOf(part: number, whole: number): number {
  return Math.floor((100 * part) / whole);
}

/** @param host Undefined where the setting holds no address. */
function placeHolderOf(host: string | undefined): string {
  return host === undefined
    ? vscode.l10n.t('emberline.model.mirror is no https address; mend that first')
    : vscode.l10n.t('From {0}; nothing is fetched before you say so', host);
}

function catalogueItem(model: CatalogueModel, stored: readonly StoredModel[]): ModelItem {
  const { name, quantization, licence, bytes } = model;
  const note = vscode.l10n.t(model.note);
  const there = stored.find((one) => one.model.id === model.id);
  const state =
    there === undefined
      ? []
      : there.of === undefined
        ? [vscode.l10n.t('downloaded')]
        : [vscode.l10n.t('{0} % downloaded', percentOf(there.bytes, there.of))];
  const large = bytes !== undefined && bytes > MOST_OF_MEMORY * totalmem();
  const size = bytes === undefined ? [] : [sizeText(bytes)];
  return {
    label: `$(${there === undefined ? 'cloud-download' : 'file-binary'}) ${name}`,
    description: [quantization, ...size, licence, ...state].join(' · '),
    detail: large
      ? `${vscode.l10n.t('Too large for the {0} of memory here.', sizeText(totalmem()))} ${note}`
      : note,
    model,
    stored: there,
  };
}

function detailOf(
  { licence, repository, file }: CatalogueModel,
  { url, bytes, knownBy }: HubFile,
  there: StoredModel | undefined,
): string {
  const size =
    there === undefined
      ? sizeText(bytes)
      : vscode.l10n.t('{0} of {1} are missing', sizeText(bytes - there.bytes), sizeText(bytes));
  const check =
    knownBy === 'catalogue'
      ? vscode.l10n.t('Its SHA-256 is known to Emberline, and checked.')
      : vscode.l10n.t('Its SHA-256 is what {0} says that it is, and checked.', url.host);
  return [
    vscode.l10n.t('{0} of {1}, from {2}.', file, repository, url.host),
    vscode.l10n.t('{0}. Licence: {1}.', size, licence),
    check,
  ].join('\n');
}

/** In the system's file manager; where the editor runs in a browser, there is none, and the path is said. */
async function show(path: string): Promise<void> {
  try {
    await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(path));
  } catch {
    void vscode.window.showInformationMessage(path);
  }
}
