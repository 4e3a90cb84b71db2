/** What there is beside the document one writes in, of all kinds: one place to ask, for suggestions and for who prepares them. */
import * as vscode from 'vscode';
import type { CompletionOptions } from '../../core/completion/options';
import type { OtherText } from '../../core/completion/references';
import type { FindSnippets, SnippetKind } from '../../core/completion/snippets';
import { ImportedDefinitions } from './definitions';
import { EditHistory } from './edit_history';
import { RecentTexts } from './recent_texts';
import { within } from './time_limit';

/** Whoever asked for a suggestion waits no longer for the clipboard, ms. */
const CLIPBOARD_MS = 200;

export class Surroundings implements vscode.Disposable {
  readonly definitions: ImportedDefinitions;
  private readonly options: () => CompletionOptions;
  private readonly texts: RecentTexts;
  private readonly edits: EditHistory;

  /** @param reads Whether the model reads pieces of a kind: others need not be looked for. */
  constructor(options: () => CompletionOptions, reads: (kind: SnippetKind) => boolean) {
    this.options = options;
    this.definitions = new ImportedDefinitions(options, () => reads('definition'));
    this.texts = new RecentTexts(options);
    this.edits = new EditHistory(options);
  }

  /** Looks again at what is open: settings or the model may have changed. */
  refresh(): void {
    this.definitions.refresh();
    this.edits.refresh();
  }

  /** The texts of the files looked at last, latest first, but for that of `uri`. */
  readonly beside = (uri: string): readonly OtherText[] => this.texts.beside(uri);

  /** Nothing is waited for: these are what is known. */
  readonly snippets: FindSnippets = (document) => [
    ...this.definitions.at(document),
    ...this.texts.similarTo(document),
    ...this.edits.at(document),
  ];

  /** What the user copied, where a suggestion that was asked for may use it. Never rejects. */
  async clipboard(): Promise<string | undefined> {
    if (!this.options().clipboard) return undefined;
    const text = await within(CLIPBOARD_MS, vscode.env.clipboard.readText());
    return text?.trim() === '' ? undefined : text;
  }

  dispose(): void {
    this.definitions.dispose();
    this.texts.dispose();
    this.edits.dispose();
  }
}
