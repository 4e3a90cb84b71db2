/** Before anything of a document is sent to an endpoint, the user sees what that is, and says yes once. */
import * as vscode from 'vscode';
import { snapshotOfText, type TextSource } from '../../core/completion/document';
import type { CompletionOptions } from '../../core/completion/options';
import { PromptWriter } from '../../core/completion/prompt_writer';
import type { FindSnippets } from '../../core/completion/snippets';
import { listOf } from '../../core/http/json_values';
import type { Endpoint } from '../../core/remote/endpoint';
import type { RemoteEngine } from '../../core/remote/remote_engine';
import { forElsewhere } from '../../core/remote/remote_first';
import { snapshotOf } from '../editor/editor_snapshot';
import { isLeftAlone } from '../editor/left_alone';

const SCHEME = 'emberline-remote';
/** Endpoints that were confirmed; in the storage that no settings file reaches. */
const CONFIRMED = 'emberline.remote.confirmed';
/** The list of answers covers so many lines at the top of the editor. */
const COVERED_LINES = 5;
/** Most UTF-16 units of a line, so that it is seen whole. */
const COLUMNS = 80;

const TEXT = 'def area(width, height):\n    return \n\n\nprint(area(2, 3))\n';
/** Where no file is open that may be read. */
const EXAMPLE: TextSource = {
  uri: 'example',
  path: 'area.py',
  languageId: 'python',
  text: TEXT,
  offset: TEXT.indexOf('\n\n'),
};

export class RemoteConsent implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly state: vscode.Memento;
  private readonly options: () => CompletionOptions;
  private readonly snippets: FindSnippets;
  private readonly registration: vscode.Disposable;
  private readonly reminded = new Set<string>();
  private text = '';
  private previews = 0;

  /** @param snippets Pieces of other files, as suggestions find them. */
  constructor(state: vscode.Memento, options: () => CompletionOptions, snippets: FindSnippets) {
    this.state = state;
    this.options = options;
    this.snippets = snippets;
    this.registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  has({ base }: Endpoint): boolean {
    return this.confirmed().includes(base);
  }

  /** Shows what is sent, and asks, unless that was said of the endpoint before. */
  async ask(endpoint: Endpoint, engine: RemoteEngine): Promise<boolean> {
    if (this.has(endpoint)) return true;
    this.text = this.shown(endpoint, engine);
    const uri = vscode.Uri.from({
      scheme: SCHEME,
      path: `/What is sent to ${endpoint.host}.jsonc`,
      query: `${++this.previews}`,
    });
    const document = await vscode.workspace.openTextDocument(uri);
    // As a preview it would take the place of a tab of the user.
    await vscode.window.showTextDocument(document, { preview: false, preserveFocus: true });
    const { t } = vscode.l10n;
    const yes = t('Send this to {0}', endpoint.host);
    const answer = await vscode.window.showQuickPick([t('Send nothing'), yes], {
      title: t('Emberline: May text of your files go to {0}?', endpoint.host),
      placeHolder: t('What is sent stands in the editor behind this; you are asked once for this server'),
      ignoreFocusOut: true,
    });
    await closeTab(uri);
    if (answer !== yes) return false;
    await this.state.update(CONFIRMED, [...this.confirmed(), endpoint.base]);
    return true;
  }

  /** Says once that an address in the settings waits for the user's word. */
  remind({ base, host }: Endpoint): void {
    if (this.reminded.has(base)) return;
    this.reminded.add(base);
    const { t } = vscode.l10n;
    const told = t(
      'Emberline: a remote engine is set ({0}). Nothing is sent there before you have seen what.',
      host,
    );
    const show = t('Show What Is Sent');
    void vscode.window.showInformationMessage(told, show).then((answer) => {
      if (answer === show) void vscode.commands.executeCommand('emberline.useRemoteEngine', { url: base });
    });
  }

  provideTextDocumentContent(): string {
    return this.text;
  }

  dispose(): void {
    this.registration.dispose();
  }

  private confirmed(): readonly string[] {
    return listOf(this.state.get(CONFIRMED)).filter((one) => typeof one === 'string');
  }

  /** In words, and the request for the cursor's place as it would go over the wire. */
  private shown({ base, host, safe }: Endpoint, engine: RemoteEngine): string {
    const { t } = vscode.l10n;
    const post = engine.postFor(this.example(engine));
    const lines = [
      t(
        'Nothing of your files was sent to {0} yet. For each suggestion, and for Generate at Cursor, this is:',
        host,
      ),
      t('- the text around the cursor of the file you write in, with its path in the workspace;'),
      t(
        '- for suggestions, pieces of other files, where the model reads them (docs/context.md): signatures of what the file imports, code of files looked at last that resembles it, recent edits where you turned them on, each with a setting; with them the name of the workspace folder;',
      ),
      t(
        '- in the commit box, when you ask there, or type once "scminput" is turned on: the change that is committed, and the last messages.',
      ),
      t(
        'Not sent: files that emberline.excludedFiles names, anything in a workspace that is not trusted, the clipboard.',
      ),
      ...(safe
        ? []
        : [
            t(
              'The connection is not encrypted: others in your network can read along. No key is sent over it.',
            ),
          ]),
      '',
      t('The request for the place at your cursor:'),
    ];
    const comments = lines.flatMap(wrapped).map((line) => `// ${line}`.trimEnd());
    const body = post === undefined ? '{}' : JSON.stringify(post.body, null, 2);
    const text = [...comments, `// POST ${base}${post?.path ?? ''}`, body].join('\n');
    return `${'\n'.repeat(COVERED_LINES)}${text}\n`;
  }

  private example(engine: RemoteEngine): ReturnType<PromptWriter['write']>['request'] {
    const editor = vscode.window.activeTextEditor;
    const options = this.options();
    const place =
      editor === undefined || isLeftAlone(editor.document.uri, options.excludedFiles)
        ? { document: snapshotOfText(EXAMPLE) }
        : { document: snapshotOf(editor.document, editor.selection.active), snippets: this.snippets };
    return new PromptWriter(engine).write(forElsewhere({ ...place, options })).request;
  }
}

/** In lines that an editor shows whole; what is behind the first stands under its text. */
function wrapped(line: string): string[] {
  const indent = /^[- ]*/.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  for (const word of line.slice(indent.length).split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < COLUMNS) lines.push(`${lines.pop()} ${word}`);
    else lines.push((last === undefined ? indent : ' '.repeat(indent.length)) + word);
  }
  return lines;
}

async function closeTab(uri: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
  const own = tabs.filter(
    ({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString(),
  );
  await vscode.window.tabGroups.close(own).then(undefined, () => false);
}
