/** Edits of the documents that are open, as an editor tells of them. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { snapshotOfText } from '../../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../../core/completion/options';
import { EditHistory } from '../../../extension/editor/edit_history';

type Listener = (value: never) => void;

const { editor } = vi.hoisted(() => ({
  editor: {
    activate: undefined as Listener | undefined,
    change: undefined as Listener | undefined,
    close: undefined as Listener | undefined,
    visible: [] as unknown[],
  },
}));

vi.mock('vscode', () => {
  const on = (name: 'activate' | 'change' | 'close') => (listener: Listener) => {
    editor[name] = listener;
    return { dispose: () => undefined };
  };
  return {
    window: {
      activeTextEditor: undefined,
      get visibleTextEditors() {
        return editor.visible;
      },
      onDidChangeActiveTextEditor: on('activate'),
    },
    workspace: {
      asRelativePath: ({ path }: { path: string }) => path.slice(1),
      onDidChangeTextDocument: on('change'),
      onDidCloseTextDocument: on('close'),
    },
  };
});

interface Opened {
  readonly uri: { readonly scheme: string; readonly path: string };
  readonly languageId: string;
  readonly lineCount: number;
  readonly getText: () => string;
  readonly lineAt: (line: number) => { readonly text: string };
}

const opened = (path: string, languageId = 'python'): Opened => ({
  uri: { scheme: 'file', path, toString: () => `file://${path}` } as Opened['uri'],
  languageId,
  lineCount: 20,
  lineAt: (line) => ({ text: `line ${line}` }),
  getText: () => Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n'),
});

describe('what was edited a moment ago', () => {
  let history: EditHistory;
  let excludedFiles: readonly string[] = [];
  let recentEdits = true;
  const [a, b, prose, secret] = [
    opened('/a.py'),
    opened('/b.py'),
    opened('/c.md', 'markdown'),
    opened('/.env'),
  ];

  beforeEach(() => {
    excludedFiles = DEFAULT_OPTIONS.excludedFiles;
    recentEdits = true;
    editor.visible = [];
    history = new EditHistory(() => ({ ...DEFAULT_OPTIONS, excludedFiles, recentEdits }));
    for (const document of [a, b, prose, secret]) editor.activate?.({ document } as never);
  });

  function type(document: Opened, line: number, text: string): void {
    const range = { start: { line, character: 0 }, end: { line, character: 0 } };
    editor.change?.({ document, contentChanges: [{ range, rangeLength: 0, text }] } as never);
  }

  const at = (path: string): readonly string[] =>
    history
      .at(snapshotOfText({ uri: `file://${path}`, path, languageId: 'python', text: '', offset: 0 }))
      .map((one) => `${one.path} ${one.text}`);

  it('is there in other documents of the language, the latest first', () => {
    type(a, 1, 'x');
    type(b, 2, 'y');
    type(prose, 3, 'z');
    type(secret, 4, 'key');
    expect(at('/new.py')).toEqual(['b.py -line 2\n+yline 2\n', 'a.py -line 1\n+xline 1\n']);
    type(a, 9, 'x');
    expect(at('/new.py')).toEqual([
      'a.py -line 9\n+xline 9\n',
      'a.py -line 1\n+xline 1\n',
      'b.py -line 2\n+yline 2\n',
    ]);
  });

  it('is there in the same document but around the cursor', () => {
    type(a, 1, 'x');
    type(a, 9, 'y');
    editor.visible = [{ document: a, selection: { active: { line: 10 } } }];
    expect(at('/a.py')).toEqual(['a.py -line 1\n+xline 1\n']);
    editor.visible = [{ document: a, selection: { active: { line: 19 } } }];
    expect(at('/a.py')).toHaveLength(2);
  });

  it('is forgotten with the document, and with the fifth that is looked at after it', () => {
    type(a, 1, 'x');
    type(b, 1, 'y');
    editor.close?.({ ...b, isClosed: true } as never);
    expect(at('/new.py')).toHaveLength(1);
    for (const name of ['d', 'e', 'f', 'g', 'h'])
      editor.activate?.({ document: opened(`/${name}.py`) } as never);
    expect(at('/new.py')).toEqual([]);
  });

  it('outlasts another language of the document, which is closed and opened again for it', () => {
    const document = { ...opened('/d.txt', 'plaintext'), isClosed: false };
    editor.activate?.({ document } as never);
    type(document, 1, 'x');
    expect(at('/new.py')).toEqual([]);
    editor.close?.(document as never);
    document.languageId = 'python';
    type(document, 9, 'y');
    expect(at('/new.py')).toEqual(['d.txt -line 9\n+yline 9\n', 'd.txt -line 1\n+xline 1\n']);
  });

  it('is not followed where nobody wants it, and forgotten', () => {
    type(a, 1, 'x');
    recentEdits = false;
    history.refresh();
    editor.activate?.({ document: a } as never);
    type(a, 2, 'y');
    recentEdits = true;
    expect(at('/new.py')).toEqual([]);
  });

  it('is none of files that are left alone', () => {
    type(a, 1, 'x');
    excludedFiles = ['a.py'];
    expect(at('/new.py')).toEqual([]);
  });

  it('is none of files that are left alone by where they are in the workspace, nor is their text kept', () => {
    const hidden = opened('/config/secrets.py');
    excludedFiles = ['config/secrets.py'];
    editor.activate?.({ document: hidden } as never);
    type(hidden, 1, 'x');
    expect(at('/new.py')).toEqual([]);
    excludedFiles = [];
    expect(at('/new.py')).toEqual([]);
  });

  it('is none of a document of many lines, which is not copied, nor of one that becomes it', () => {
    const getText = vi.fn(() => 'x');
    const large = { ...opened('/large.py'), lineCount: 1_000_000, getText };
    editor.activate?.({ document: large } as never);
    expect(getText).not.toHaveBeenCalled();
    type(a, 1, 'x');
    type({ ...a, lineCount: 1_000_000 }, 2, 'y');
    expect(at('/new.py')).toEqual([]);
    type(b, 1, 'x'.repeat(5_000_000));
    expect(at('/new.py')).toEqual([]);
  });

  it('is none of a document that several pastes make long, nor of one with a long line that is typed in', () => {
    for (let paste = 0; paste < 3; paste++) type(a, 1, 'x\n'.repeat(100_000));
    type(a, 2, 'y');
    const wide = { ...b, lineAt: () => ({ text: 'x'.repeat(100_000) }) };
    type(b, 1, 'z');
    expect(at('/new.py')).toHaveLength(1);
    type(wide, 2, 'y');
    expect(at('/new.py')).toEqual([]);
  });
});
