/** Where schemas come from in an editor: the user's setting json.schemas, installed extensions, files that are watched. */
import * as vscode from 'vscode';
import { listOf, objectOf } from '../../core/http/json_values';
import { absolute, type SchemaAssociation } from '../../core/schema/schema_place';

/** Files larger than this are not read, bytes. */
const MOST_BYTES = 4_000_000;
/** A watcher sees what happens once the system watches, of which nothing tells: what changed until then is looked for after so long, ms. */
const LOOK_AGAIN_MS = 2_000;
/** Files that are watched: who writes the address of a schema names another one with each key. */
const MOST_WATCHED = 256;
/** Most associations that are looked at. */
const MOST_ASSOCIATIONS = 2_000;

export class WorkspaceSchemas implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: readonly vscode.Disposable[];
  /** By URI of the file. */
  private readonly watchers = new Map<string, vscode.Disposable>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private contributed: readonly SchemaAssociation[] | undefined;
  /** What the setting says, by folder: VS Code gives a copy each time, and a schema is known by its object. */
  private readonly chosen = new Map<string, readonly unknown[]>();

  /** Fires when a schema changed, or which schema belongs to what. */
  readonly onDidChange = this.changed.event;

  constructor() {
    this.subscriptions = [
      vscode.extensions.onDidChange(() => {
        this.contributed = undefined;
        this.changed.fire();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.changed.fire()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration('json.schemas')) return;
        this.chosen.clear();
        this.changed.fire();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.chosen.clear()),
    ];
  }

  /** For the document of a URI, the first that fits counts. */
  associations(uri: string): readonly SchemaAssociation[] {
    const document = vscode.Uri.parse(uri);
    const folder = vscode.workspace.getWorkspaceFolder(document)?.uri;
    const base = folder ?? document;
    const chosen = this.chosenFor(document, folder);
    this.contributed ??= vscode.extensions.all.flatMap(contributedBy);
    const own = chosen.flatMap((entry) => associationOf(entry, base.toString().replace(/\/?$/, '/'), true));
    return [...own, ...this.contributed].slice(0, MOST_ASSOCIATIONS);
  }

  /**
   * The text of a file, which is watched from then on; undefined where it cannot be read. Which file that is documents and schemas say: what they say in a
   * workspace that is not trusted leads to no file outside of it, but to what extensions contribute.
   */
  async read(uri: string): Promise<string | undefined> {
    try {
      const file = vscode.Uri.parse(uri, true);
      if (!mayBeRead(file)) return undefined;
      const isNew = this.watch(file);
      const seen = await vscode.workspace.fs.stat(file);
      if (isNew) this.lookAgain(file, seen);
      if (seen.size > MOST_BYTES) return undefined;
      return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
    } catch {
      return undefined;
    }
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    for (const timer of this.timers) clearTimeout(timer);
    this.changed.dispose();
    this.unwatch();
  }

  private unwatch(): void {
    for (const watcher of this.watchers.values()) watcher.dispose();
    this.watchers.clear();
  }

  private chosenFor(document: vscode.Uri, folder: vscode.Uri | undefined): readonly unknown[] {
    const key = folder?.toString() ?? '';
    const chosen =
      this.chosen.get(key) ?? listOf(vscode.workspace.getConfiguration('json', document).get('schemas'));
    this.chosen.set(key, chosen);
    return chosen;
  }

  /** Whether it was not watched before. */
  private watch(file: vscode.Uri): boolean {
    const uri = file.toString();
    if (this.watchers.has(uri)) return false;
    if (this.watchers.size >= MOST_WATCHED) {
      this.unwatch();
      // Those that are still of use are read again.
      this.changed.fire();
    }
    const folder = vscode.Uri.joinPath(file, '..');
    const name = file.path.slice(file.path.lastIndexOf('/') + 1);
    const pattern = new vscode.RelativePattern(folder, name.replace(/[*?{}[\]]/g, '[$&]'));
    const watcher = vscode.workspace.createFileSystemWatcher(pattern);
    const changed = (): void => this.changed.fire();
    watcher.onDidChange(changed);
    watcher.onDidCreate(changed);
    watcher.onDidDelete(changed);
    this.watchers.set(uri, watcher);
    return true;
  }

  private lookAgain(file: vscode.Uri, seen: vscode.FileStat): void {
    const look = async (): Promise<void> => {
      const now = await vscode.workspace.fs.stat(file).then(
        (stat) => stat,
        () => undefined,
      );
      if (now?.mtime !== seen.mtime || now.size !== seen.size) this.changed.fire();
    };
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void look();
    }, LOOK_AGAIN_MS);
    this.timers.add(timer);
  }
}

/** A step to the folder above, as it may be hidden in an address: `..%2F`, which is one only once the address is decoded. */
const STEP_UP = /(?:^|[\\/])\.\.(?:[\\/]|$)/;

function mayBeRead(file: vscode.Uri): boolean {
  if (vscode.workspace.isTrusted) return true;
  if (STEP_UP.test(file.path)) return false;
  if (vscode.workspace.getWorkspaceFolder(file) !== undefined) return true;
  return vscode.extensions.all.some(({ extensionUri: { scheme, authority, path } }) => {
    return file.scheme === scheme && file.authority === authority && file.path.startsWith(`${path}/`);
  });
}

function contributedBy(extension: vscode.Extension<unknown>): readonly SchemaAssociation[] {
  const { contributes } = objectOf(extension.packageJSON);
  const base = `${extension.extensionUri.toString()}/`;
  return listOf(objectOf(contributes)['jsonValidation']).flatMap((entry) =>
    associationOf(entry, base, false),
  );
}

/** @param base The URI of a folder, with a slash at its end. */
function associationOf(entry: unknown, base: string, chosen: boolean): readonly SchemaAssociation[] {
  const { fileMatch: patterns, url, schema } = objectOf(entry);
  const fileMatch = (Array.isArray(patterns) ? listOf(patterns) : [patterns]).filter(
    (pattern) => typeof pattern === 'string',
  );
  const address = typeof url === 'string' ? absolute(url, base) : undefined;
  if (address === undefined && schema === undefined) return [];
  return [{ fileMatch, url: address, chosen, ...(schema === undefined ? {} : { schema }) }];
}
