/** The page that says what is sent to an endpoint. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { snapshotOfText } from '../../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../../core/completion/options';
import { promptText } from '../../../core/completion/prompt';
import type { Snippet } from '../../../core/completion/snippets';
import type { EngineRequest } from '../../../core/engine/engine_request';
import { type Endpoint, endpointOf } from '../../../core/remote/endpoint';
import { RemoteEngine } from '../../../core/remote/remote_engine';
import { RemoteConsent } from '../../../extension/remote/consent';

interface Tab {
  readonly input: unknown;
  readonly isPreview: boolean;
}

interface Editor {
  tabs: Tab[];
  whenAsked: () => void;
  active: unknown;
}

const editor = vi.hoisted((): Editor => ({ tabs: [], whenAsked: () => undefined, active: undefined }));

vi.mock('vscode', async () => {
  class TabInputText {
    readonly uri: unknown;
    constructor(uri: unknown) {
      this.uri = uri;
    }
  }
  return {
    ...(await import('../vscode_stub')),
    TabInputText,
    Uri: { from: ({ path }: { path: string }) => path },
    window: {
      get activeTextEditor() {
        return editor.active;
      },
      /** A tab that is opened as a preview takes the place of the one that is. */
      showTextDocument: ({ uri }: { uri: unknown }, { preview }: { preview: boolean }) => {
        if (preview) editor.tabs = editor.tabs.filter((tab) => !tab.isPreview);
        editor.tabs.push({ input: new TabInputText(uri), isPreview: preview });
        return Promise.resolve();
      },
      showQuickPick: ([, yes]: readonly string[]) => {
        editor.whenAsked();
        return Promise.resolve(yes);
      },
      tabGroups: {
        get all() {
          return [{ tabs: editor.tabs }];
        },
        close: (closed: readonly unknown[]) => {
          editor.tabs = editor.tabs.filter((tab) => !closed.includes(tab));
          return Promise.resolve(true);
        },
      },
    },
    workspace: {
      registerTextDocumentContentProvider: () => ({ dispose: () => undefined }),
      openTextDocument: (uri: unknown) => Promise.resolve({ uri }),
    },
  };
});

const SOURCE = {
  uri: 'file:///w/a.py',
  path: 'a.py',
  languageId: 'python',
  text: 'total = 1\nx = ',
  offset: 14,
};
const PIECE: Snippet = { kind: 'similar', path: 'prices.py', languageId: 'python', text: 'DISCOUNT = 3\n' };

vi.mock('../../../extension/editor/editor_snapshot', () => ({
  pathOf: ({ path }: { path: string }) => path,
  snapshotOf: () => snapshotOfText(SOURCE),
}));

describe('the page that says what is sent', () => {
  const file: Tab = { input: 'the file', isPreview: true };

  beforeEach(() => {
    editor.tabs = [file];
    editor.active = undefined;
  });

  it('is a tab beside those of the user, of which it takes none, until the answer', async () => {
    const { value } = endpointOf('http://127.0.0.1:8012') as { readonly value: Endpoint };
    const choices = { protocol: 'auto', model: '', fim: 'auto' } as const;
    const engine = new RemoteEngine({ endpoint: value, key: () => undefined, choices });
    const state = { get: () => undefined, update: () => Promise.resolve() } as never;
    const consent = new RemoteConsent(
      state,
      () => DEFAULT_OPTIONS,
      () => [],
    );
    let whenAsked: readonly Tab[] = [];
    editor.whenAsked = () => (whenAsked = [...editor.tabs]);
    expect(await consent.ask(value, engine)).toBe(true);
    expect(whenAsked).toEqual([file, expect.anything()]);
    expect(editor.tabs).toEqual([file]);
    consent.dispose();
    engine.dispose();
  });

  it.each([
    [
      'has the text at the cursor, and the piece of another file',
      '/w/a.py',
      ['total = 1', 'DISCOUNT = 3'],
      [],
    ],
    ['has nothing of a file that is left alone', '/w/.env', ['area'], ['total = 1', 'DISCOUNT = 3']],
  ])('%s', async (_, path, sent, kept) => {
    const { value } = endpointOf('http://127.0.0.1:8012') as { readonly value: Endpoint };
    const engine = {
      speed: {},
      fim: { layout: 'prefix_suffix_middle', prefix: 1, suffix: 2, middle: 3, separator: 4 },
      postFor: ({ prompt }: EngineRequest) => ({ path: '/completion', body: { prompt: promptText(prompt) } }),
    } as unknown as RemoteEngine;
    const state = { get: () => undefined, update: () => Promise.resolve() } as never;
    const options = { ...DEFAULT_OPTIONS, similarCode: 'always' as const };
    const consent = new RemoteConsent(
      state,
      () => options,
      () => [PIECE],
    );
    editor.active = { document: { uri: { path } }, selection: {} };
    let text = '';
    editor.whenAsked = () => (text = consent.provideTextDocumentContent());
    await consent.ask(value, engine);
    for (const one of sent) expect(text).toContain(one);
    for (const one of kept) expect(text).not.toContain(one);
    // The list of answers covers the first lines, and an editor wraps none.
    expect(text).toMatch(/^\n{5}\/\/ Nothing/);
    const comments = text.split('\n').filter((line) => line.startsWith('//'));
    expect(comments.filter((line) => line.length > 83)).toEqual([]);
    consent.dispose();
  });
});
