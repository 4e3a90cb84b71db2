/** Proposed edits beside the document, in VS Code's own diff view, one at a time until the user has decided. */
import * as vscode from 'vscode';
import { setContextKey } from '../context_keys';

const SCHEME = 'emberline-edit';

/** What a user may want of what is shown: it, nothing, the one beside it, or one that is otherwise. */
export type PreviewChoice = 'apply' | 'discard' | 'next' | 'previous' | 'again';

/** Behind these nothing is shown any more. */
const FINAL: ReadonlySet<PreviewChoice> = new Set(['apply', 'discard']);

export class EditPreview implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private readonly subscriptions: readonly vscode.Disposable[];
  private readonly decided = new vscode.EventEmitter<void>();
  private shown: vscode.Uri | undefined;
  /** What was chosen while nobody waited. */
  private chosen: PreviewChoice | undefined;
  private waiting: ((choice: PreviewChoice) => void) | undefined;
  /** The review that a notification is open for: one of an earlier review stays until the user closes it. */
  private asking: number | undefined;
  private reviews = 0;
  private previews = 0;

  /** Fires when the user has decided. */
  readonly onDidDecide = this.decided.event;

  constructor() {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        // A tab that goes to another group is closed in its own, and a view that was split is there twice.
        if (closed.some((tab) => shows(tab, this.shown)) && tabsOf(this.shown).length === 0)
          this.choose('discard');
      }),
    ];
  }

  /** True while an edit is shown. */
  get open(): boolean {
    return this.shown !== undefined;
  }

  /** Whether the user has decided, and nobody has asked for it yet. */
  get isDecided(): boolean {
    return this.chosen !== undefined && FINAL.has(this.chosen);
  }

  /**
   * Shows what `document` would become, in the place of what is shown. Where that cannot be, it is as if the user discarded it.
   * @param title What was asked for.
   */
  async show(document: vscode.TextDocument, text: string, title: string): Promise<void> {
    const before = this.shown;
    const after = vscode.Uri.from({ scheme: SCHEME, path: document.uri.path, query: `${++this.previews}` });
    this.texts.set(after.toString(), text);
    // What is closed from here on is no longer what is shown.
    this.shown = after;
    if (before === undefined) {
      this.reviews++;
      setContextKey('previewing', true);
    }
    if (!(await opened(document.uri, after, title))) this.choose('discard');
    await this.forget(before);
    if (!this.isDecided) void this.ask();
  }

  /** Settles with what the user wants next; who closes the view wants nothing. */
  async choice(): Promise<PreviewChoice> {
    const { chosen } = this;
    this.chosen = undefined;
    if (chosen !== undefined) return chosen;
    return new Promise((resolve) => (this.waiting = resolve));
  }

  /** Chooses for the user, where an edit is shown. The choice is kept until somebody asks for it, and a decision is the last. */
  choose(choice: PreviewChoice): void {
    if (!this.open) return;
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting !== undefined) waiting(choice);
    else if (!this.isDecided) this.chosen = choice;
    if (FINAL.has(choice)) this.decided.fire();
  }

  async close(): Promise<void> {
    const { shown } = this;
    this.shown = undefined;
    this.chosen = undefined;
    this.reviews++;
    setContextKey('previewing', false);
    await this.forget(shown);
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.texts.get(uri.toString());
  }

  dispose(): void {
    this.choose('discard');
    this.decided.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** Asks in a notification as well, where none is open. */
  private async ask(): Promise<void> {
    const { reviews } = this;
    if (this.asking === reviews) return;
    const { t } = vscode.l10n;
    const answers = new Map<string, PreviewChoice>([
      [t('Apply'), 'apply'],
      [t('Another'), 'next'],
      [t('Discard'), 'discard'],
    ]);
    const question = t('Emberline: nothing is changed yet. Apply the edit that is shown?');
    this.asking = reviews;
    const answer = await vscode.window.showInformationMessage(question, ...answers.keys());
    if (this.asking === reviews) this.asking = undefined;
    const choice = answers.get(answer ?? '');
    if (choice !== undefined && reviews === this.reviews) this.choose(choice);
  }

  private async forget(uri: vscode.Uri | undefined): Promise<void> {
    if (uri === undefined) return;
    this.texts.delete(uri.toString());
    const tabs = tabsOf(uri);
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs);
  }
}

/** False where there is nothing to show any more: the document was closed, or its file is gone. */
async function opened(before: vscode.Uri, after: vscode.Uri, title: string): Promise<boolean> {
  try {
    // A tab of its own: one that takes the place of a file that is only looked at takes that file along when it is closed.
    await vscode.commands.executeCommand('vscode.diff', before, after, title, { preview: false });
    return true;
  } catch {
    return false;
  }
}

function tabsOf(uri: vscode.Uri | undefined): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter((tab) => shows(tab, uri));
}

function shows(tab: vscode.Tab, uri: vscode.Uri | undefined): boolean {
  return tab.input instanceof vscode.TabInputTextDiff && tab.input.modified.toString() === uri?.toString();
}
