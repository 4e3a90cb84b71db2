/** The list of models to choose from: shown at once, filled while files are found and looked at. Nothing is loaded by it. */
import * as vscode from 'vscode';
import { type Appraisal, compareAppraisals } from '../../core/models/appraisal';
import { type FoundModel, SOURCES } from '../../core/models/model_places';
import { kindText, useText } from './choice_text';

/** What was chosen; an empty path is the embedded model's. */
export type Choice =
  | { readonly path: string; readonly name: string }
  | { readonly ask: 'download' | 'file' | 'folder' };

export interface PickerParts {
  /** The path in the settings. */
  readonly current: string;
  /** The embedded model's file. */
  readonly embedded: string;
  readonly find: () => Promise<readonly FoundModel[]>;
  readonly appraise: (path: string) => Promise<Appraisal>;
}

interface Offer {
  readonly name: string;
  /** As it stands in the settings. */
  readonly path: string;
  readonly source: string;
  appraisal?: Appraisal;
}

interface Item extends vscode.QuickPickItem {
  readonly choice?: Choice;
}

function askItems(): readonly Item[] {
  return [
    { label: vscode.l10n.t('Elsewhere'), kind: vscode.QuickPickItemKind.Separator },
    {
      label: `$(cloud-download) ${vscode.l10n.t('Download a model…')}`,
      detail: vscode.l10n.t(
        'From a list of models that fill in the middle; nothing is fetched before you say so',
      ),
      choice: { ask: 'download' },
    },
    {
      label: `$(file) ${vscode.l10n.t('Choose a file…')}`,
      detail: vscode.l10n.t('A GGUF file'),
      choice: { ask: 'file' },
    },
    {
      label: `$(folder) ${vscode.l10n.t('Choose a folder…')}`,
      detail: vscode.l10n.t('With config.json, tokenizer.json and SafeTensors, of Hugging Face or MLX'),
      choice: { ask: 'folder' },
    },
  ];
}

/** Undefined: none was chosen. */
export async function pickModel(parts: PickerParts): Promise<Choice | undefined> {
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = vscode.l10n.t('Emberline: Choose Model');
  picker.placeholder = vscode.l10n.t('Which model should complete?');
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  const name = vscode.l10n.t('The model that comes with Emberline');
  const offers: Offer[] = [{ name, path: '', source: 'embedded' }];
  let hidden = false;
  const open = (): boolean => !hidden;
  const draw = (): void => {
    const [active] = picker.activeItems;
    picker.items = itemsOf(offers, parts);
    const again = picker.items.find((item) => active !== undefined && isSame(item, active));
    if (again !== undefined) picker.activeItems = [again];
  };
  const chosen = new Promise<Choice | undefined>((resolve) => {
    picker.onDidAccept(() => {
      resolve(picker.activeItems[0]?.choice);
      picker.hide();
    });
    picker.onDidHide(() => {
      hidden = true;
      resolve(undefined);
    });
  });
  draw();
  picker.show();
  void fill();
  const choice = await chosen;
  picker.dispose();
  return choice;

  async function fill(): Promise<void> {
    picker.busy = true;
    for (const { name, path, source } of await parts.find())
      offers.push({ name, path, source: SOURCES[source] });
    if (parts.current !== '' && !offers.some(({ path }) => path === parts.current))
      offers.push({ name: parts.current, path: parts.current, source: vscode.l10n.t('settings') });
    for (const offer of offers) {
      // Nobody waits for the rest.
      if (!open()) return;
      offer.appraisal = await parts.appraise(offer.path === '' ? parts.embedded : offer.path);
      if (open()) draw();
    }
    if (open()) picker.busy = false;
  }
}

function itemsOf(offers: readonly Offer[], parts: PickerParts): Item[] {
  const ready = offers
    .flatMap((offer) => (offer.appraisal === undefined ? [] : [{ offer, appraisal: offer.appraisal }]))
    .sort((one, other) => compareAppraisals(one.appraisal, other.appraisal));
  const usable = ready.filter(({ appraisal }) => appraisal.obstacle === '');
  const others = ready.filter(({ appraisal }) => appraisal.obstacle !== '');
  const unseen = offers.filter(({ appraisal }) => appraisal === undefined);
  return [
    ...titled(
      vscode.l10n.t('Run here'),
      usable.map(({ offer }) => itemOf(offer, parts)),
    ),
    ...titled(
      vscode.l10n.t('Being looked at'),
      unseen.map((offer) => itemOf(offer, parts)),
    ),
    ...titled(
      vscode.l10n.t('Do not run here'),
      others.map(({ offer }) => itemOf(offer, parts)),
    ),
    ...askItems(),
  ];
}

/** Whether two items stand for one choice, however it is shown meanwhile: models have paths, and several may have one name. */
function isSame(one: Item, other: Item): boolean {
  const [path, another] = [one, other].map(({ choice }) =>
    choice !== undefined && 'path' in choice ? choice.path : undefined,
  );
  return path === another && (path !== undefined || one.label === other.label);
}

function titled(label: string, items: readonly Item[]): readonly Item[] {
  return items.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items];
}

function itemOf({ name, path, source, appraisal }: Offer, { current }: PickerParts): Item {
  const used = path === current;
  const icon = used
    ? 'check'
    : appraisal !== undefined && appraisal.obstacle !== ''
      ? 'warning'
      : 'file-binary';
  const kind = appraisal === undefined ? '' : kindText(appraisal);
  const place = path === '' ? [] : [source];
  return {
    label: `$(${icon}) ${name}`,
    description: [kind, ...place, ...(used ? [vscode.l10n.t('in use')] : [])]
      .filter((part) => part !== '')
      .join(' · '),
    detail: appraisal === undefined ? vscode.l10n.t('Reading its header…') : useText(appraisal),
    choice: { path, name },
  };
}

/** The system's own dialog. */
export async function askForPath(kind: 'file' | 'folder'): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: kind === 'file' ? vscode.l10n.t('Choose a GGUF file') : vscode.l10n.t('Choose a model folder'),
    openLabel: vscode.l10n.t('Use This Model'),
    canSelectFiles: kind === 'file',
    canSelectFolders: kind === 'folder',
    canSelectMany: false,
    ...(kind === 'file'
      ? { filters: { [vscode.l10n.t('Models (GGUF)')]: ['gguf'], [vscode.l10n.t('All files')]: ['*'] } }
      : {}),
  });
  return chosen?.[0]?.fsPath;
}
