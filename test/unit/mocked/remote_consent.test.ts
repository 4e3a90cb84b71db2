/** The page that says what is sent to an endpoint. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_OPTIONS } from '../../../core/completion/options';
import { type Endpoint, endpointOf } from '../../../core/remote/endpoint';
import { RemoteEngine } from '../../../core/remote/remote_engine';
import { RemoteConsent } from '../../../extension/remote/consent';

interface Tab {
  readonly input: unknown;
  readonly isPreview: boolean;
}

const { editor } = vi.hoisted(() => ({
  editor: { tabs: [] as Tab[], whenAsked: (): void => undefined },
}));

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

describe('the page that says what is sent', () => {
  const file: Tab = { input: 'the file', isPreview: true };

  beforeEach(() => {
    editor.tabs = [file];
  });

  it('is a tab beside those of the user, of which it takes none, until the answer', async () => {
    const { value } = endpointOf('http://127.0.0.1:8012') as { readonly value: Endpoint };
    const choices = { protocol: 'auto', model: '', fim: 'auto' } as const;
    const engine = new RemoteEngine({ endpoint: value, key: () => undefined, choices });
    const state = { get: () => undefined, update: () => Promise.resolve() } as never;
    const consent = new RemoteConsent(state, () => DEFAULT_OPTIONS);
    let whenAsked: readonly Tab[] = [];
    editor.whenAsked = () => (whenAsked = [...editor.tabs]);
    expect(await consent.ask(value, engine)).toBe(true);
    expect(whenAsked).toEqual([file, expect.anything()]);
    expect(editor.tabs).toEqual([file]);
    consent.dispose();
    engine.dispose();
  });
});
