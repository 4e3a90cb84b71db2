/**
 * The definitions behind what the document one writes in imports. They are looked for when it is opened and when its imports have changed, beside
 * everything else: a suggestion takes those that were found. By text first, which asks nobody; for names that this does not find the language's own service is
 * asked, which knows aliases and packages, and may take its time or never answer.
 */
import * as vscode from 'vscode';
import { definitionAt } from '../../core/completion/definition_text';
import { type DocumentSnapshot, normalizeLineBreaks } from '../../core/completion/document';
import {
  type Definition,
  followedNames,
  importedDefinitions,
  mostUseful,
} from '../../core/completion/imported_definitions';
import { importedNames } from '../../core/completion/imports';
import { languageOfPath } from '../../core/completion/languages';
import { languageEnabled, type CompletionOptions } from '../../core/completion/options';
import { putLast } from '../../core/completion/recent_map';
import { pathOf } from './editor_snapshot';
import { frontOfDocument, isReadable, readProjectFile } from './project_reader';
import { within } from './time_limit';

/** Whoever changes an import has finished when nothing was typed for so long, ms. */
const REST_MS = 500;
/** A language service may take so long for a name, ms; one that does is not asked for the next. */
const SERVICE_MS = 2_000;
/** Names that a service is asked for. */
const MOST_ASKED = 24;
/** Documents of which is known what they import. */
const MOST_DOCUMENTS = 32;

interface Known {
  /** What is imported from where, to see whether something else is. */
  readonly imports: string;
  readonly definitions: readonly Definition[];
}

export class ImportedDefinitions implements vscode.Disposable {
  private readonly options: () => CompletionOptions;
  private readonly wanted: () => boolean;
  private readonly known = new Map<string, Known>();
  private readonly found = new vscode.EventEmitter<string>();
  private readonly subscriptions: readonly vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private running: AbortController | undefined;

  /** Fires with the URI of a document whose imports were followed to the end. */
  readonly onDidFind = this.found.event;

  /** @param wanted Whether anybody reads them. */
  constructor(options: () => CompletionOptions, wanted: () => boolean) {
    this.options = options;
    this.wanted = wanted;
    this.subscriptions = [
      vscode.window.onDidChangeActiveTextEditor((editor) => this.look(editor?.document, 0)),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && document === vscode.window.activeTextEditor?.document)
          this.look(document, REST_MS);
      }),
      // Where its language changes, a document is closed and opened again: its imports are others then.
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.known.delete(uri.toString())),
      vscode.workspace.onDidOpenTextDocument((document) => {
        if (document === vscode.window.activeTextEditor?.document) this.look(document, 0);
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.refresh()),
    ];
    this.refresh();
  }

  /** Looks again in the document one writes in. */
  refresh(): void {
    this.look(vscode.window.activeTextEditor?.document, 0);
  }

  /** What is known of a document's imports, the most useful at its cursor first. */
  at(document: DocumentSnapshot): readonly Definition[] {
    return mostUseful(this.known.get(document.uri)?.definitions ?? [], document);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.running?.abort();
    this.running = undefined;
    for (const subscription of this.subscriptions) subscription.dispose();
    this.found.dispose();
    this.known.clear();
  }

  /** @param ms When, if nothing happens before. Opened anew, a document's imports are followed anew: other files may have changed. */
  private look(document: vscode.TextDocument | undefined, ms: number): void {
    clearTimeout(this.timer);
    const { enabled, languages, definitions, excludedFiles } = this.options();
    if (!enabled || definitions === 'never' || !this.wanted()) {
      this.running?.abort();
      this.running = undefined;
      return;
    }
    if (document === undefined) return;
    if (!languageEnabled(languages, document.languageId) || !isReadable(document.uri, excludedFiles)) return;
    this.timer = setTimeout(() => void this.follow(document, ms === 0), ms);
  }

  private async follow(document: vscode.TextDocument, anew: boolean): Promise<void> {
    const uri = document.uri.toString();
    const { languageId } = document;
    const text = normalizeLineBreaks(frontOfDocument(document));
    const names = importedNames(text, languageId);
    const imports = JSON.stringify([names, followedNames(text, languageId)]);
    if (!anew && this.known.get(uri)?.imports === imports) return;
    this.running?.abort();
    const controller = new AbortController();
    this.running = controller;
    const { signal } = controller;
    const root = vscode.workspace.getWorkspaceFolder(document.uri)?.uri;
    if (root === undefined) return;
    const read = (path: string): Promise<string | undefined> =>
      signal.aborted
        ? Promise.resolve(undefined)
        : readProjectFile(vscode.Uri.joinPath(root, path), this.options().excludedFiles);
    const source = { path: pathOf(document.uri), languageId, text };
    const byText = await importedDefinitions(source, read);
    if (controller !== this.running) return;
    putLast(this.known, uri, { imports, definitions: byText }, MOST_DOCUMENTS);
    const left = names.filter((name) => !byText.some((one) => one.name === name)).slice(0, MOST_ASKED);
    const byService = await this.ask(document, left, signal);
    if (controller !== this.running) return;
    putLast(this.known, uri, { imports, definitions: [...byText, ...byService] }, MOST_DOCUMENTS);
    this.found.fire(uri);
  }

  /** Asks the language's service for one name after the other. Never rejects. */
  private async ask(
    document: vscode.TextDocument,
    names: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Definition[]> {
    const definitions: Definition[] = [];
    for (const name of names) {
      if (signal.aborted) break;
      // Somebody may be typing.
      const at = frontOfDocument(document).search(
        new RegExp(`(?<![\\w$])${name.replace(/[^\w]/g, '\\$&')}(?![\\w$])`),
      );
      if (at < 0) continue;
      const places = await within(
        SERVICE_MS,
        vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[] | undefined>(
          'vscode.executeDefinitionProvider',
          document.uri,
          document.positionAt(at),
        ),
      );
      if (places === undefined) break;
      const definition = await this.definitionAt(places, document.uri, name);
      if (definition !== undefined) definitions.push(definition);
    }
    return definitions;
  }

  private async definitionAt(
    places: readonly (vscode.Location | vscode.LocationLink)[],
    own: vscode.Uri,
    name: string,
  ): Promise<Definition | undefined> {
    const { excludedFiles } = this.options();
    for (const place of places) {
      const uri = 'targetUri' in place ? place.targetUri : place.uri;
      if (uri.toString() === own.toString()) continue;
      const range = 'targetUri' in place ? (place.targetSelectionRange ?? place.targetRange) : place.range;
      const text = await readProjectFile(uri, excludedFiles);
      const found = text === undefined ? undefined : definitionAt(text, range.start.line);
      if (found === undefined) continue;
      return {
        kind: 'definition',
        name,
        path: pathOf(uri),
        languageId: languageOfPath(uri.path),
        text: found,
      };
    }
    return undefined;
  }
}
