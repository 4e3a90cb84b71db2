/**
 * What is committed, for the box in which its message is written: from the editor's own git extension. Git is asked where somebody
 * asks for a message, and at most every few seconds where one writes it.
 */
import * as vscode from 'vscode';
import { type Change, MOST_READ, MOST_SUBJECTS, withChange } from '../../core/completion/commit_message';
import type { DocumentSnapshot } from '../../core/completion/document';
import type { CompletionOptions } from '../../core/completion/options';
import { completesMessages, ofMoment } from '../../core/completion/trigger';
import { within } from './time_limit';

/** How long git may take, ms, before a message is suggested without it: while one types, and where somebody asks and waits for it. */
const GIT_MS = 500;
const GIT_MS_ASKED = 3_000;
/** While one types, a change is taken to be what it was so long ago, ms. */
const FRESH_MS = 5_000;

/** What is used of the git extension's interface (`getAPI(1)`). */
interface Git {
  readonly repositories: readonly Repository[];
}

interface Repository {
  readonly rootUri: vscode.Uri;
  diff(staged: boolean): Promise<string>;
  log(options: { readonly maxEntries: number }): Promise<readonly { readonly message: string }[]>;
}

interface Known {
  readonly uri: string;
  /** When git was asked, ms. */
  readonly at: number;
  /** An answer that comes late serves the next request. */
  readonly change: Promise<Change | undefined>;
}

export class CommitBox implements vscode.Disposable {
  private readonly options: () => CompletionOptions;
  private readonly changed = new vscode.EventEmitter<string>();
  private known: Known | undefined;
  private diff = '';

  /** Fires with the URI of a box whose message would say something else now. */
  readonly onDidChange = this.changed.event;

  constructor(options: () => CompletionOptions) {
    this.options = options;
  }

  /**
   * The snapshot of a commit box with what is committed above its text, where something is suggested there; else as it is. Never rejects.
   * @param explicit Whether somebody asked.
   */
  async around(
    snapshot: DocumentSnapshot,
    { uri }: vscode.TextDocument,
    explicit: boolean,
  ): Promise<DocumentSnapshot> {
    const options = this.options();
    if (ofMoment(options, explicit) !== undefined || (!explicit && !completesMessages(options)))
      return snapshot;
    const change = await within(explicit ? GIT_MS_ASKED : GIT_MS, this.changeFor(uri, explicit));
    const box = explicit ? { ...snapshot, kind: 'commit_message' as const } : snapshot;
    if (change === undefined) return box;
    if (change.diff !== this.diff) this.changed.fire(snapshot.uri);
    this.diff = change.diff;
    return withChange(box, change, options.excludedFiles);
  }

  dispose(): void {
    this.changed.dispose();
  }

  private changeFor(uri: vscode.Uri, anew: boolean): Promise<Change | undefined> {
    const { known } = this;
    const now = performance.now();
    if (!anew && known?.uri === uri.toString() && now - known.at < FRESH_MS) return known.change;
    const change = changeOf(uri);
    this.known = { uri: uri.toString(), at: now, change };
    return change;
  }
}

/** Undefined where there is no repository, and where git fails. */
async function changeOf(uri: vscode.Uri): Promise<Change | undefined> {
  try {
    const repository = repositoryOf(uri);
    if (repository === undefined) return undefined;
    const [staged, commits] = await Promise.all([
      repository.diff(true),
      // A repository without commits has no log.
      repository.log({ maxEntries: MOST_SUBJECTS }).catch(() => []),
    ]);
    const diff = staged === '' ? await repository.diff(false) : staged;
    const subjects = commits.map(({ message }) => message.split('\n', 1)[0] ?? '').reverse();
    return { diff: diff.slice(0, MOST_READ), subjects, root: repository.rootUri.path };
  } catch {
    return undefined;
  }
}

/** The box's URI names the folder of its repository, in newer editors. */
function repositoryOf({ path, query }: vscode.Uri): Repository | undefined {
  if (!/^\/?git\//.test(path)) return undefined;
  const extension = vscode.extensions.getExtension<{ getAPI(version: 1): Git }>('vscode.git');
  if (extension?.isActive !== true) return undefined;
  const { repositories } = extension.exports.getAPI(1);
  const root = new URLSearchParams(query).get('rootUri');
  if (root === null) return repositories.length === 1 ? repositories[0] : undefined;
  return repositories.find(({ rootUri }) => rootUri.toString() === root);
}
