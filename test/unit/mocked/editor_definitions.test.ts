/** Imports are followed beside everything else: nobody waits for a language service. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { snapshotOfText } from '../../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../../core/completion/options';
import { ImportedDefinitions } from '../../../extension/editor/definitions';

type Listener = (value: never) => void;

interface Editor {
  activate: Listener | undefined;
  change: Listener | undefined;
  open: Listener | undefined;
  close: Listener | undefined;
  trust: (() => void) | undefined;
  active: unknown;
  trusted: boolean;
  /** By path. */
  files: Map<string, string>;
  read: string[];
  /** What the language's service answers. */
  service: () => Promise<unknown>;
  asked: number;
}

const { editor } = vi.hoisted((): { editor: Editor } => ({
  editor: {
    activate: undefined,
    change: undefined,
    open: undefined,
    close: undefined,
    trust: undefined,
    active: undefined,
    trusted: true,
    files: new Map(),
    read: [],
    service: () => Promise.resolve([]),
    asked: 0,
  },
}));

vi.mock('vscode', () => {
  interface FakeUri {
    readonly path: string;
  }
  const uriOf = (path: string): FakeUri & { scheme: string; toString: () => string } => ({
    scheme: 'file',
    path,
    toString: () => `file://${path}`,
  });
  const none = { dispose: () => undefined };
  return {
    FileType: { File: 1 },
    EventEmitter: class {
      listeners: ((value: unknown) => void)[] = [];
      readonly event = (listener: (value: unknown) => void): typeof none => {
        this.listeners.push(listener);
        return none;
      };
      readonly fire = (value: unknown): void => this.listeners.forEach((listener) => listener(value));
      readonly dispose = (): void => undefined;
    },
    Range: class {
      readonly end: { readonly line: number };
      constructor(_from: number, _column: number, line: number) {
        this.end = { line };
      }
    },
    Uri: { joinPath: ({ path }: FakeUri, name: string) => uriOf(`${path}/${name}`) },
    window: {
      get activeTextEditor() {
        return editor.active;
      },
      onDidChangeActiveTextEditor: (listener: Listener) => {
        editor.activate = listener;
        return none;
      },
    },
    commands: {
      executeCommand: () => {
        editor.asked++;
        return editor.service();
      },
    },
    workspace: {
      get isTrusted() {
        return editor.trusted;
      },
      textDocuments: [],
      getWorkspaceFolder: ({ path }: FakeUri) =>
        path.startsWith('/w/') ? { uri: uriOf('/w'), name: 'w' } : undefined,
      asRelativePath: ({ path }: FakeUri) => path.replace(/^\/w\//, ''),
      onDidChangeTextDocument: (listener: Listener) => {
        editor.change = listener;
        return none;
      },
      onDidOpenTextDocument: (listener: Listener) => {
        editor.open = listener;
        return none;
      },
      onDidCloseTextDocument: (listener: Listener) => {
        editor.close = listener;
        return none;
      },
      onDidGrantWorkspaceTrust: (listener: () => void) => {
        editor.trust = listener;
        return none;
      },
      fs: {
        stat: ({ path }: FakeUri) =>
          editor.files.has(path) ? Promise.resolve({ type: 1, size: 10 }) : Promise.reject(new Error('none')),
        readFile: ({ path }: FakeUri) => {
          editor.read.push(path);
          return Promise.resolve(Buffer.from(editor.files.get(path) ?? ''));
        },
      },
    },
  };
});

const TEXT = 'from .order import total\nfrom shop_alias import cart\n';
const URI = 'file:///w/a.py';

function opened(text = TEXT, path = '/w/a.py'): Record<string, unknown> {
  return {
    uri: { scheme: 'file', path, toString: () => `file://${path}` },
    version: 1,
    languageId: 'python',
    getText: () => text,
    lineCount: 2,
    lineAt: () => ({ text: '' }),
    positionAt: (at: number) => at,
  };
}

describe('the definitions behind imports', () => {
  let definitions: ImportedDefinitions;
  let options = DEFAULT_OPTIONS;
  let wanted = true;
  let found: string[] = [];

  beforeEach(() => {
    vi.useFakeTimers();
    Object.assign(editor, { active: undefined, trusted: true, read: [], asked: 0 });
    editor.files = new Map([
      ['/w/order.py', 'def total(lines): return 1\n'],
      ['/w/lib/cart.py', '\ndef cart(): return 2\n'],
      ['/w/secret.key', 'def total(): ...\n'],
    ]);
    editor.service = () => Promise.resolve([]);
    options = DEFAULT_OPTIONS;
    found = [];
    wanted = true;
    definitions = new ImportedDefinitions(
      () => options,
      () => wanted,
    );
    definitions.onDidFind((uri) => found.push(uri));
  });
  afterEach(() => {
    definitions.dispose();
    vi.useRealTimers();
  });

  async function open(document: unknown): Promise<void> {
    editor.active = { document };
    editor.activate?.({ document } as never);
    await vi.advanceTimersByTimeAsync(10);
  }

  function names(): readonly string[] {
    const source = { uri: URI, path: 'a.py', languageId: 'python', text: TEXT, offset: TEXT.length };
    const at = definitions.at(snapshotOfText(source)).map(({ name, path }) => `${name} in ${path}`);
    return at.toSorted().reverse();
  }

  it('are found by text, and by the service where that finds nothing', async () => {
    editor.service = () =>
      Promise.resolve([
        {
          uri: { path: '/elsewhere/cart.py', toString: () => 'file:///elsewhere/cart.py' },
          range: { start: { line: 1 } },
        },
        {
          targetUri: { path: '/w/lib/cart.py', toString: () => 'file:///w/lib/cart.py' },
          targetRange: { start: { line: 0 } },
          targetSelectionRange: { start: { line: 1 } },
        },
      ]);
    await open(opened());
    expect(names()).toEqual(['total in order.py', 'cart in lib/cart.py']);
    expect(editor.asked).toBe(1);
    expect(found).toEqual([URI]);
  });

  it('are there though the service never answers', async () => {
    editor.service = () => new Promise(() => undefined);
    await open(opened(`${TEXT}from other_alias import thing\n`));
    expect(names()).toEqual(['total in order.py']);
    expect(found).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    // It is not asked for the next name.
    expect(editor.asked).toBe(1);
    expect(found).toEqual([URI]);
  });

  it('are found in the first line of a file that has a byte order mark', async () => {
    editor.files.set('/w/order.py', '\ufeffdef total(lines): return 1\n');
    await open(opened());
    expect(names()).toEqual(['total in order.py']);
  });

  it('are those of all names of an import that goes on, whatever its line breaks', async () => {
    await open(opened('from shop_alias import cart, \\\r\n  price\r\n'));
    expect(editor.asked).toBe(2);
  });

  it('are looked for in what a long document begins with', async () => {
    const copied: (number | undefined)[] = [];
    const getText = (range?: { readonly end: { readonly line: number } }): string => {
      copied.push(range?.end.line);
      return TEXT;
    };
    editor.service = () => Promise.resolve([]);
    await open({ ...opened(), getText, lineCount: 1_000_000 });
    expect(found).toEqual([URI]);
    expect(copied.length).toBeGreaterThan(1);
    for (const lines of copied) expect(lines).toBeLessThan(20_000);
    // Of long lines there are fewer.
    copied.length = 0;
    await open({ ...opened(), getText, lineCount: 1_000, lineAt: () => ({ text: 'x'.repeat(5_000_000) }) });
    expect(copied.length).toBeGreaterThan(1);
    for (const lines of copied) expect(lines).toBe(0);
  });

  it('are there though the service fails', async () => {
    editor.service = () => Promise.reject(new Error('crashed'));
    await open(opened());
    expect(names()).toEqual(['total in order.py']);
    expect(found).toEqual([URI]);
  });

  it('are looked for again where the imports changed, and not at each key', async () => {
    await open(opened());
    const reads = editor.read.length;
    const type = async (text: string): Promise<void> => {
      const document = opened(text);
      editor.active = { document };
      editor.change?.({ document, contentChanges: [{}] } as never);
      await vi.advanceTimersByTimeAsync(1_000);
    };
    await type(`${TEXT}x = 1\n`);
    expect(editor.read).toHaveLength(reads);
    await type('from .order import total\n');
    expect(editor.read.length).toBeGreaterThan(reads);
    expect(names()).toEqual(['total in order.py']);
    editor.files.set('/w/other.py', 'def total(order): return 3\n');
    await type('from .other import total\n');
    expect(names()).toEqual(['total in other.py']);
    await type('import other\nother.total(1)\n');
    expect(names()).toEqual(['total in other.py']);
    await type('import other\nother.nothing(1)\n');
    expect(names()).toEqual([]);
  });

  it('are looked for again where the language changes, for which the document is closed and opened again', async () => {
    const document = { ...opened(), languageId: 'plaintext', isClosed: false };
    const change = async (languageId: string): Promise<void> => {
      editor.close?.(document as never);
      document.languageId = languageId;
      editor.open?.(document as never);
      await vi.advanceTimersByTimeAsync(10);
    };
    await open(document);
    expect(names()).toEqual([]);
    await change('python');
    expect(names()).toEqual(['total in order.py']);
    await change('plaintext');
    expect(names()).toEqual([]);
  });

  it('are not looked for in a document that is opened beside the one that is written in', async () => {
    await open(opened('import nothing\n'));
    editor.open?.(opened(TEXT, '/w/b.py') as never);
    await vi.advanceTimersByTimeAsync(10);
    expect(found).toEqual([URI]);
  });

  it('are looked for no longer where nobody reads them any more', async () => {
    editor.service = () => new Promise(() => undefined);
    await open(opened());
    wanted = false;
    definitions.refresh();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(editor.asked).toBe(1);
    expect(found).toEqual([]);
  });

  it.each<[string, () => void]>([
    ['nobody trusts the workspace', () => (editor.trusted = false)],
    ['the file is left alone', () => (options = { ...options, excludedFiles: ['a.py'] })],
    ['the language is turned off', () => (options = { ...options, languages: { python: false } })],
    ['suggestions are turned off', () => (options = { ...options, enabled: false })],
  ])('are none where %s', async (_, arrange) => {
    arrange();
    await open(opened());
    expect(editor.read).toEqual([]);
    expect(editor.asked).toBe(0);
  });

  it('are looked for as soon as the workspace is trusted', async () => {
    editor.trusted = false;
    await open(opened());
    expect(names()).toEqual([]);
    editor.trusted = true;
    editor.trust?.();
    await vi.advanceTimersByTimeAsync(10);
    expect(names()).toEqual(['total in order.py']);
  });

  it('are none of files that are left alone, outside the workspace, or of others', async () => {
    options = { ...options, excludedFiles: ['order.py'] };
    editor.files.set('/w/node_modules/x/cart.py', 'def cart(): ...\n');
    const at = (path: string): unknown => ({
      uri: { path, toString: () => path },
      range: { start: { line: 0 } },
    });
    editor.service = () =>
      Promise.resolve(['/etc/cart.py', '/w/order.py', '/w/node_modules/x/cart.py'].map(at));
    await open(opened());
    expect(editor.read).toEqual([]);
    expect(names()).toEqual([]);
  });
});
