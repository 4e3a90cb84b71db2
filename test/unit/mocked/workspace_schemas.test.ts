/** Which files a document may have read as its schema, and what the user's setting gives it. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { WorkspaceSchemas } from '../../../extension/schema/workspace_schemas';

interface FakeWorkspace {
  trusted: boolean;
  trust?: () => void;
  /** json.schemas, by folder; empty: where there is none. */
  chosen: Record<string, unknown>;
  /** Files that are watched. */
  watched: number;
  settingsChanged?: (event: unknown) => void;
  foldersChanged?: () => void;
}

const workspace = vi.hoisted((): FakeWorkspace => ({ trusted: true, chosen: {}, watched: 0 }));

vi.mock('vscode', () => {
  interface FakeUri {
    readonly scheme: string;
    readonly authority: string;
    readonly path: string;
    readonly toString: () => string;
  }
  const none = { dispose: () => undefined };
  const parse = (uri: string): FakeUri => {
    const { protocol, host, pathname } = new URL(uri);
    const path = decodeURIComponent(pathname);
    return { scheme: protocol.slice(0, -1), authority: host, path, toString: () => uri };
  };
  const folderOf = ({ path }: FakeUri): string | undefined => /^\/[wv](?=\/)/.exec(path)?.[0];
  return {
    EventEmitter: class {
      readonly listeners: ((value: unknown) => void)[] = [];
      readonly event = (listener: (value: unknown) => void): typeof none => {
        this.listeners.push(listener);
        return none;
      };
      readonly fire = (value: unknown): void => this.listeners.forEach((listener) => listener(value));
      readonly dispose = (): void => undefined;
    },
    RelativePattern: class {
      readonly kind = 'pattern';
    },
    Uri: { parse, joinPath: (uri: FakeUri) => uri },
    extensions: {
      all: [{ extensionUri: parse('file:///extensions/lamps') }],
      onDidChange: () => none,
    },
    workspace: {
      get isTrusted() {
        return workspace.trusted;
      },
      getWorkspaceFolder: (uri: FakeUri) => {
        const folder = folderOf(uri);
        return folder === undefined ? undefined : { uri: parse(`file://${folder}`) };
      },
      // As VS Code does: who asks may write into what they get.
      getConfiguration: (_: string, uri: FakeUri) => ({
        get: () => structuredClone(workspace.chosen[folderOf(uri) ?? '']),
      }),
      onDidChangeConfiguration: (listener: (event: unknown) => void) => {
        workspace.settingsChanged = listener;
        return none;
      },
      onDidChangeWorkspaceFolders: (listener: () => void) => {
        workspace.foldersChanged = listener;
        return none;
      },
      onDidGrantWorkspaceTrust: (listener: () => void) => {
        workspace.trust = listener;
        return none;
      },
      createFileSystemWatcher: () => ({
        watched: ++workspace.watched,
        dispose: () => workspace.watched--,
        onDidChange: () => none,
        onDidCreate: () => none,
        onDidDelete: () => none,
      }),
      fs: {
        stat: () => Promise.resolve({ size: 2, mtime: 1 }),
        readFile: ({ path }: FakeUri) => Promise.resolve(Buffer.from(path)),
      },
    },
  };
});

async function read(uri: string): Promise<string | undefined> {
  const schemas = new WorkspaceSchemas();
  const text = await schemas.read(uri);
  schemas.dispose();
  return text;
}

describe('the file of a schema', () => {
  beforeEach(() => {
    workspace.trusted = true;
  });

  it('may lie anywhere where the workspace is trusted', async () => {
    expect(await read('file:///home/me/lamp.json')).toBe('/home/me/lamp.json');
  });

  it('lies in the workspace, or in an extension, where it is not', async () => {
    workspace.trusted = false;
    expect(await read('file:///home/me/lamp.json')).toBeUndefined();
    expect(await read('file:///w/../home/me/lamp.json')).toBeUndefined();
    expect(await read('file:///w/..%2Fhome/me/lamp.json')).toBeUndefined();
    expect(await read('file:///w/a%5C..%5C..%5Clamp.json')).toBeUndefined();
    expect(await read('file:///extensions/lamps/..%2F..%2Flamp.json')).toBeUndefined();
    expect(await read('file:///extensions/lamps-too/lamp.json')).toBeUndefined();
    expect(await read('vscode-remote://host/extensions/lamps/lamp.json')).toBeUndefined();
    expect(await read('file:///w/lamp.json')).toBe('/w/lamp.json');
    expect(await read('file:///extensions/lamps/lamp.json')).toBe('/extensions/lamps/lamp.json');
  });

  it('is watched with some hundred others at most, and read anew where it is watched no longer', async () => {
    const schemas = new WorkspaceSchemas();
    const changed = vi.fn();
    schemas.onDidChange(changed);
    // As one writes an address, each key makes another.
    for (let key = 0; key < 1_000; key++) await schemas.read(`file:///w/${'x'.repeat(key + 1)}`);
    expect(workspace.watched).toBeGreaterThan(0);
    expect(workspace.watched).toBeLessThan(300);
    expect(changed).toHaveBeenCalled();
    schemas.dispose();
    expect(workspace.watched).toBe(0);
  });

  it('is looked for anew where the workspace becomes trusted', () => {
    const schemas = new WorkspaceSchemas();
    const changed = vi.fn();
    schemas.onDidChange(changed);
    workspace.trust?.();
    expect(changed).toHaveBeenCalledWith(undefined);
    schemas.dispose();
  });
});

describe("the user's schemas", () => {
  const lamp = { fileMatch: ['lamp.json'], schema: { type: 'object' } };
  const given = (schemas: WorkspaceSchemas, uri: string): unknown => schemas.associations(uri)[0]?.schema;

  beforeEach(() => {
    workspace.chosen = { '': [lamp], '/w': [lamp], '/v': [{ ...lamp, schema: { type: 'array' } }] };
  });

  it('are the same objects for all documents of a folder, and outside of all, as long as they are set', () => {
    const schemas = new WorkspaceSchemas();
    for (const [one, other] of [
      ['file:///w/lamp.json', 'file:///w/more/lamp.json'],
      ['file:///home/lamp.json', 'file:///tmp/lamp.json'],
    ] as const) {
      expect(given(schemas, one)).toEqual(lamp.schema);
      expect(given(schemas, other)).toBe(given(schemas, one));
    }
    expect(given(schemas, 'file:///v/lamp.json')).toEqual({ type: 'array' });
    schemas.dispose();
  });

  it('are read anew where the setting changes, or the folders do', () => {
    const schemas = new WorkspaceSchemas();
    const changed = vi.fn();
    schemas.onDidChange(changed);
    const schemaOf = (): unknown => given(schemas, 'file:///w/lamp.json');
    expect(schemaOf()).toEqual({ type: 'object' });
    workspace.chosen['/w'] = [{ ...lamp, schema: { type: 'number' } }];
    workspace.settingsChanged?.({ affectsConfiguration: (key: string) => key === 'json.schemas' });
    expect(changed).toHaveBeenCalledOnce();
    expect(schemaOf()).toEqual({ type: 'number' });
    workspace.chosen['/w'] = [{ ...lamp, schema: { type: 'string' } }];
    workspace.foldersChanged?.();
    expect(schemaOf()).toEqual({ type: 'string' });
    schemas.dispose();
  });

  it('have relative addresses from the folder', () => {
    workspace.chosen = { '/w': [{ fileMatch: ['lamp.json'], url: './schemas/lamp.json' }] };
    const schemas = new WorkspaceSchemas();
    const [one] = schemas.associations('file:///w/more/lamp.json');
    expect(one).toMatchObject({ url: 'file:///w/schemas/lamp.json', chosen: true });
    schemas.dispose();
  });
});
