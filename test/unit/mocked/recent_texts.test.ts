import { describe, expect, it, vi } from 'vitest';
import { snapshotOfText } from '../../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../../core/completion/options';
import { RecentTexts } from '../../../extension/editor/recent_texts';

type Listener = (editor: { document: unknown }) => void;
type CloseListener = (document: unknown) => void;
type FakeUri = Readonly<Record<'scheme' | 'path', string>>;

const { editors } = vi.hoisted(() => ({
  /** Tell of the editor that is active, and of a document that is closed or whose language changes. */
  editors: { activate: undefined as Listener | undefined, close: undefined as CloseListener | undefined },
}));

vi.mock('vscode', () => ({
  Position: vi.fn(),
  Range: vi.fn(),
  Uri: { parse: (uri: string) => ({ path: new URL(uri).pathname }) },
  window: {
    activeTextEditor: undefined,
    onDidChangeActiveTextEditor: (listener: Listener) => {
      editors.activate = listener;
      return { dispose: () => undefined };
    },
  },
  workspace: {
    // Other schemes have no workspace.
    asRelativePath: ({ scheme, path }: FakeUri) => (scheme === 'file' ? path.slice('/w/'.length) : path),
    workspaceFolders: [{ uri: { path: '/w', with: ({ path }: FakeUri) => ({ scheme: 'file', path }) } }],
    onDidCloseTextDocument: (listener: CloseListener) => {
      editors.close = listener;
      return { dispose: () => undefined };
    },
  },
}));

function document(uri: string): unknown {
  const { protocol, pathname } = new URL(uri);
  return {
    uri: { scheme: protocol.slice(0, -1), path: pathname, toString: () => uri },
    version: 1,
    getText: () => uri,
    positionAt: () => ({}),
  };
}

const CELL = 'vscode-notebook-cell:/w/sums.ipynb#';

describe('pieces of other files', () => {
  it('are of the same language, and named as a document is', () => {
    const texts = new RecentTexts(() => DEFAULT_OPTIONS);
    const CODE = 'def total_price(order, discount):\n    return order.price - discount\n';
    for (const uri of ['file:///w/prices.py', 'file:///w/prices.md', 'file:///w/.env', 'file:///w/a.py']) {
      const languageId = uri.endsWith('.md') ? 'markdown' : 'python';
      editors.activate?.({ document: { ...(document(uri) as object), languageId, getText: () => CODE } });
    }
    const before = 'price = total_price(order, discount';
    const source = { uri: 'file:///w/a.py', path: 'a.py', languageId: 'python' };
    const found = texts.similarTo(snapshotOfText({ ...source, text: before, offset: before.length }));
    expect(found).toMatchObject([{ path: 'prices.py', languageId: 'python', text: CODE }]);
    texts.dispose();
  });

  it('are still there in the language that a file changes to, until it is closed', () => {
    const texts = new RecentTexts(() => DEFAULT_OPTIONS);
    const CODE = 'def total_price(order, discount):\n    return order.price - discount\n';
    const made = { ...(document('untitled:/w/prices') as object), getText: () => CODE };
    const other = Object.assign(made, { languageId: 'plaintext', isClosed: false });
    editors.activate?.({ document: other });
    editors.activate?.({ document: document('file:///w/a.py') });
    const before = 'price = total_price(order, discount';
    const found = (languageId: string): unknown => {
      const source = { uri: 'file:///w/a.py', path: 'a.py', languageId };
      return texts
        .similarTo(snapshotOfText({ ...source, text: before, offset: before.length }))
        .map((snippet) => snippet.languageId);
    };
    expect(found('plaintext')).toEqual(['plaintext']);
    editors.close?.(other);
    other.languageId = 'python';
    expect(found('python')).toEqual(['python']);
    other.isClosed = true;
    editors.close?.(other);
    expect(found('python')).toEqual([]);
    texts.dispose();
  });

  it('are none of files that are left alone by where they are in the workspace', () => {
    const texts = new RecentTexts(() => ({ ...DEFAULT_OPTIONS, excludedFiles: ['keys/**'] }));
    const cell = 'vscode-notebook-cell:/w/keys/sums.ipynb#a';
    for (const uri of ['file:///w/keys/a.py', cell, 'git:/w/keys/a.py?HEAD', 'file:///w/a.py'])
      editors.activate?.({ document: { ...(document(uri) as object), languageId: 'python' } });
    expect(texts.beside('file:///w/b.py').map(({ text }) => text)).toEqual(['file:///w/a.py']);
    texts.dispose();
  });
});

describe('texts beside a file', () => {
  it('are none of what a diff view shows of its past, which others may read', () => {
    const texts = new RecentTexts(() => DEFAULT_OPTIONS);
    for (const uri of ['git:/w/a.py?HEAD', 'file:///w/a.py', 'file:///w/b.py'])
      editors.activate?.({ document: document(uri) });
    expect(texts.beside('file:///w/a.py').map(({ text }) => text)).toEqual(['file:///w/b.py']);
    expect(texts.beside('file:///w/b.py').map(({ text }) => text)).toEqual([
      'file:///w/a.py',
      'git:/w/a.py?HEAD',
    ]);
    texts.dispose();
  });
});

describe('texts beside a cell', () => {
  it('are those of other files, and of each notebook the cell last looked at', () => {
    const texts = new RecentTexts(() => DEFAULT_OPTIONS);
    for (const uri of [`${CELL}a`, 'file:///w/a.py', `${CELL}b`, 'file:///w/b.py', `${CELL}c`]) {
      editors.activate?.({ document: document(uri) });
    }
    const beside = (uri: string): string[] => texts.beside(uri).map(({ text }) => text);
    expect(beside(`${CELL}a`)).toEqual(['file:///w/b.py', 'file:///w/a.py']);
    expect(beside('file:///w/a.py')).toEqual([`${CELL}c`, 'file:///w/b.py']);
    expect(texts.beside('vscode-notebook-cell:/w/other.ipynb#a')).toHaveLength(3);
    texts.dispose();
  });
});
