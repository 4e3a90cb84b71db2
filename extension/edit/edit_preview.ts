/** A proposed edit beside the document, in VS Code's own diff view, until the user has decided. */
import * as vscode from 'vscode';

const SCHEME = 'emberline-edit';
/** What the menus of package.json ask. */
const PREVIEWING_KEY = 'emberline.previewing';

interface Shown {
  readonly uri: vscode.Uri;
  readonly decide: (applies: boolean) => void;
}

export class EditPreview implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private readonly subscriptions: readonly vscode.Disposable[];
  private shown: Shown | undefined;
  private previews = 0;

  constructor() {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        if (this.shown !== undefined && closed.some((tab) => shows(tab, this.shown?.uri))) this.decide(false);
      }),
    ];
  }

  /** True while an edit is shown. */
  get open(): boolean {
    return this.shown !== undefined;
  }

  /**
   * Shows what `document` would become. Settles with whether the user wants that; who closes the view does not.
   * @param title What was asked for.
   */
  async confirms(document: vscode.TextDocument, text: string, title: string): Promise<boolean> {
    this.decide(false);
    const uri = vscode.Uri.from({ scheme: SCHEME, path: document.uri.path, query: `${++this.previews}` });
    this.texts.set(uri.toString(), text);
    const decision = new Promise<boolean>((decide) => (this.shown = { uri, decide }));
    void vscode.commands.executeCommand('setContext', PREVIEWING_KEY, true);
    if (!(await opened(document.uri, uri, title))) this.decide(false);
    const question = vscode.l10n.t('Emberline: nothing is changed yet. Apply the edit that is shown?');
    const apply = vscode.l10n.t('Apply');
    if (this.open) {
      void vscode.window.showInformationMessage(question, apply, vscode.l10n.t('Discard')).then((answer) => {
        if (answer !== undefined && this.shown?.uri === uri) this.decide(answer === apply);
      });
    }
    const applies = await decision;
    this.texts.delete(uri.toString());
    await close(uri);
    return applies;
  }

  /** Answers for the user, where an edit is shown. */
  decide(applies: boolean): void {
    const { shown } = this;
    this.shown = undefined;
    if (shown === undefined) return;
    void vscode.commands.executeCommand('setContext', PREVIEWING_KEY, false);
    shown.decide(applies);
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.texts.get(uri.toString());
  }

  dispose(): void {
    this.decide(false);
    for (const subscription of this.subscriptions) subscription.dispose();
  }
}

/** False where there is nothing to show any more: the document was closed, or its file is gone. */
async function opened(before: vscode.Uri, after: vscode.Uri, title: string): Promise<boolean> {
  try {
    await vscode.commands.executeCommand('vscode.diff', before, after, title, { preview: true });
    return true;
  } catch {
    return false;
  }
}

function shows(tab: vscode.Tab, uri: vscode.Uri | undefined): boolean {
  return tab.input instanceof vscode.TabInputTextDiff && tab.input.modified.toString() === uri?.toString();
}

async function close(uri: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => shows(tab, uri));
  await vscode.window.tabGroups.close(tabs);
}
