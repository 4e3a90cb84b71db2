/** Where the editor will ask for a suggestion, as its events tell of it. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FollowedKeys } from '../../../extension/completion/followed_keys';

type Listener = (event: unknown) => void;

const { editor, MOUSE, KEYBOARD, UNDO } = vi.hoisted(() => ({
  editor: {
    change: undefined as Listener | undefined,
    select: undefined as Listener | undefined,
    active: {},
  },
  KEYBOARD: 1,
  MOUSE: 2,
  UNDO: 1,
}));

vi.mock('vscode', () => ({
  TextEditorSelectionChangeKind: { Keyboard: KEYBOARD, Mouse: MOUSE },
  window: {
    get activeTextEditor() {
      return editor.active;
    },
    onDidChangeTextEditorSelection: (listener: Listener) => {
      editor.select = listener;
      return { dispose: () => (editor.select = undefined) };
    },
  },
  workspace: {
    onDidChangeTextDocument: (listener: Listener) => {
      editor.change = listener;
      return { dispose: () => (editor.change = undefined) };
    },
  },
}));

const CURSOR = { isEmpty: true };

describe('keys that the cursor followed', () => {
  let followed: unknown[];
  let keys: FollowedKeys;
  let document: { uri: string; version: number };
  let textEditor: { document: typeof document };

  beforeEach(() => {
    followed = [];
    document = { uri: 'file:///a.py', version: 1 };
    textEditor = { document };
    editor.active = textEditor;
    keys = new FollowedKeys((one) => followed.push(one));
    keys.asked(true);
  });

  function change(more: object = {}): void {
    document.version++;
    editor.change?.({ document, contentChanges: [{}], reason: undefined, ...more });
  }

  function follow(more: object = {}): void {
    editor.select?.({ textEditor, selections: [CURSOR], kind: KEYBOARD, ...more });
  }

  it('are told where the editor asked behind the key before', () => {
    change();
    expect(followed).toEqual([]);
    follow();
    expect(followed).toEqual([textEditor]);
    // The editor did not ask: keys come too fast, or it has no suggestions.
    change();
    follow();
    expect(followed).toHaveLength(1);
    keys.asked(true);
    change();
    follow();
    expect(followed).toHaveLength(2);
    keys.asked(false);
    change();
    follow();
    expect(followed).toHaveLength(2);
  });

  it.each<[string, object, object]>([
    ['a dirty flag changed', { contentChanges: [] }, {}],
    ['something was undone', { reason: UNDO }, {}],
    ['the cursor was put there', {}, { kind: MOUSE }],
    ['text is selected', {}, { selections: [{ isEmpty: false }] }],
    ['there are several cursors', {}, { selections: [CURSOR, CURSOR] }],
    [
      'the editor is not the one in use',
      {},
      { textEditor: { document: { uri: 'file:///a.py', version: 2 } } },
    ],
    ['it is another document', {}, { textEditor: { document: { uri: 'file:///b.py', version: 2 } } }],
    ['the document changed since', {}, { textEditor: { document: { uri: 'file:///a.py', version: 3 } } }],
  ])('are not where %s', (_, changed, selected) => {
    change(changed);
    follow(selected);
    expect(followed).toEqual([]);
  });

  it('are told once', () => {
    follow();
    expect(followed).toEqual([]);
    change();
    follow();
    keys.asked(true);
    follow();
    expect(followed).toHaveLength(1);
  });

  it('are not looked for any more once it is disposed of', () => {
    keys.dispose();
    expect(editor).toMatchObject({ change: undefined, select: undefined });
  });
});
