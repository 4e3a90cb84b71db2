/** The view of an edit, and the notification that asks about it: the editor lets nobody close that but the user. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EditPreview } from '../../../extension/edit/edit_preview';

type Answer = (button: string | undefined) => void;

const { editor } = vi.hoisted(() => ({
  /** Answers to the notifications that were shown, the tabs of one group, and who is told which of them are closed. */
  editor: {
    asked: [] as Answer[],
    tabs: [] as { readonly input: unknown; readonly isPreview: boolean }[],
    tell: undefined as ((change: { readonly closed: readonly unknown[] }) => void) | undefined,
  },
}));

vi.mock('vscode', async () => {
  const none = { dispose: () => undefined };
  class TabInputTextDiff {
    readonly original: unknown;
    readonly modified: unknown;
    constructor(original: unknown, modified: unknown) {
      Object.assign(this, { original, modified });
    }
  }
  /** A tab that is opened as a preview takes the place of the one that is. */
  const diff = (before: unknown, after: unknown, _: string, { preview }: { preview: boolean }): void => {
    if (preview) editor.tabs = editor.tabs.filter((tab) => !tab.isPreview);
    editor.tabs.push({ input: new TabInputTextDiff(before, after), isPreview: preview });
  };
  return {
    ...(await import('../vscode_stub')),
    EventEmitter: class {
      readonly event = (): typeof none => none;
      readonly fire = (): void => undefined;
      readonly dispose = (): void => undefined;
    },
    TabInputTextDiff,
    Uri: { from: ({ query }: { query: string }) => ({ toString: () => query }) },
    commands: {
      executeCommand: (command: string, ...given: Parameters<typeof diff>) => {
        if (command === 'vscode.diff') diff(...given);
        return Promise.resolve();
      },
    },
    window: {
      tabGroups: {
        get all() {
          return [{ tabs: editor.tabs }];
        },
        close: (closed: readonly unknown[]) => {
          editor.tabs = editor.tabs.filter((tab) => !closed.includes(tab));
          return Promise.resolve(true);
        },
        onDidChangeTabs: (listener: typeof editor.tell) => {
          editor.tell = listener;
          return none;
        },
      },
      showInformationMessage: () => new Promise((resolve: Answer) => editor.asked.push(resolve)),
    },
    workspace: { registerTextDocumentContentProvider: () => none },
  };
});

const DOCUMENT = { uri: { path: '/a.py' } } as never;

describe('the view of an edit', () => {
  const file = { input: 'the file', isPreview: true };
  let preview: EditPreview;

  beforeEach(() => {
    editor.tabs = [file];
    preview = new EditPreview();
  });
  afterEach(() => preview.dispose());

  it('is one tab beside those of the user, of which it takes none', async () => {
    await preview.show(DOCUMENT, 'a', 'first');
    expect(editor.tabs).toEqual([file, expect.anything()]);
    const [, first] = editor.tabs;
    await preview.show(DOCUMENT, 'b', 'second');
    expect(editor.tabs).toEqual([file, expect.anything()]);
    expect(editor.tabs).not.toContain(first);
    await preview.close();
    expect(editor.tabs).toEqual([file]);
  });

  it.each([
    ['discards it', 0, 'discard'],
    ['discards nothing where it is seen in another group, split or moved there', 1, 'apply'],
  ])('that is closed %s', async (_, left, choice) => {
    await preview.show(DOCUMENT, 'a', 'first');
    const closed = editor.tabs.splice(1);
    editor.tabs.push(...closed.map((tab) => ({ ...tab })).slice(0, left));
    editor.tell?.({ closed });
    preview.choose('apply');
    expect(await preview.choice()).toBe(choice);
  });
});

describe('the question about an edit that is shown', () => {
  let preview: EditPreview;

  beforeEach(() => {
    editor.asked = [];
    preview = new EditPreview();
  });
  afterEach(() => preview.dispose());

  it('is asked anew for the next edit, where the one before was decided elsewhere', async () => {
    await preview.show(DOCUMENT, 'a', 'first');
    preview.choose('apply');
    expect(await preview.choice()).toBe('apply');
    await preview.close();
    await preview.show(DOCUMENT, 'b', 'second');
    expect(editor.asked).toHaveLength(2);
    const choice = preview.choice();
    // What was asked of the edit before decides nothing any more, nor is anything asked twice for it.
    editor.asked[0]?.('Discard');
    await preview.show(DOCUMENT, 'c', 'second, another');
    expect(editor.asked).toHaveLength(2);
    editor.asked[1]?.('Apply');
    expect(await choice).toBe('apply');
  });

  it('is asked again once it was answered, while others are looked at', async () => {
    await preview.show(DOCUMENT, 'a', 'first');
    const choice = preview.choice();
    editor.asked[0]?.('Another');
    expect(await choice).toBe('next');
    await preview.show(DOCUMENT, 'b', 'second');
    expect(editor.asked).toHaveLength(2);
  });
});
