/** The notification that asks about an edit that is shown: the editor lets nobody close it but the user. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EditPreview } from '../../../extension/edit/edit_preview';

type Answer = (button: string | undefined) => void;

const { editor } = vi.hoisted(() => ({
  /** Answers to the notifications that were shown. */
  editor: { asked: [] as Answer[] },
}));

vi.mock('vscode', async () => {
  const none = { dispose: () => undefined };
  return {
    ...(await import('../vscode_stub')),
    EventEmitter: class {
      readonly event = (): typeof none => none;
      readonly fire = (): void => undefined;
      readonly dispose = (): void => undefined;
    },
    TabInputTextDiff: class {
      readonly kind = 'diff';
    },
    Uri: { from: ({ query }: { query: string }) => ({ toString: () => query }) },
    commands: { executeCommand: () => Promise.resolve() },
    window: {
      tabGroups: { all: [], onDidChangeTabs: () => none },
      showInformationMessage: () => new Promise((resolve: Answer) => editor.asked.push(resolve)),
    },
    workspace: { registerTextDocumentContentProvider: () => none },
  };
});

const DOCUMENT = { uri: { path: '/a.py' } } as never;

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
