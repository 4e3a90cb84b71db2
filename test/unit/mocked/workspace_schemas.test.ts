/** Which files a document may have read as its schema. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { WorkspaceSchemas } from '../../../extension/schema/workspace_schemas';

const { workspace } = vi.hoisted(() => ({
  workspace: { trusted: true, trust: undefined as (() => void) | undefined },
}));

vi.mock('vscode', () => {
  interface FakeUri {
    readonly scheme: string;
    readonly authority: string;
    readonly path: string;
  }
  const none = { dispose: () => undefined };
  const parse = (uri: string): FakeUri => {
    const { protocol, host, pathname } = new URL(uri);
    return { scheme: protocol.slice(0, -1), authority: host, path: decodeURIComponent(pathname) };
  };
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
      getWorkspaceFolder: ({ path }: FakeUri) => (path.startsWith('/w/') ? {} : undefined),
      onDidChangeConfiguration: () => none,
      onDidGrantWorkspaceTrust: (listener: () => void) => {
        workspace.trust = listener;
        return none;
      },
      createFileSystemWatcher: () => ({
        ...none,
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

  it('is looked for anew where the workspace becomes trusted', () => {
    const schemas = new WorkspaceSchemas();
    const changed = vi.fn();
    schemas.onDidChange(changed);
    workspace.trust?.();
    expect(changed).toHaveBeenCalledWith(undefined);
    schemas.dispose();
  });
});
