/** An edit's lines are those that were selected when it was asked for. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { snapshotOfText } from '../../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../../core/completion/options';
import { EDIT_ENDINGS } from '../../../core/edit/edit_endings';
import type { EditParts } from '../../../core/edit/edit_proposal';
import { PROBLEMS } from '../../../core/edit/soundness';
import { editText } from '../../../extension/edit/edit_text';
import {
  editSelectionKind,
  type StructuredEdit,
  StructuredEditor,
} from '../../../extension/edit/structured_editor';

const { editor } = vi.hoisted(() => ({
  /** What happens while the box for the instruction is open. */
  editor: { meanwhile: (): void => undefined },
}));

vi.mock('vscode', async () => {
  const none = { dispose: () => undefined };
  return {
    ...(await import('../vscode_stub')),
    Disposable: { from: () => none },
    EventEmitter: class {
      readonly event = (): typeof none => none;
      readonly fire = (): void => undefined;
      readonly dispose = (): void => undefined;
    },
    ProgressLocation: { Notification: 15 },
    window: {
      tabGroups: { all: [], onDidChangeTabs: () => none },
      showInputBox: () => {
        editor.meanwhile();
        return Promise.resolve('rename a to b');
      },
      withProgress: (_: unknown, task: (...given: unknown[]) => unknown) =>
        task({ report: () => undefined }, { onCancellationRequested: () => none }),
    },
    workspace: { registerTextDocumentContentProvider: () => none },
  };
});

vi.mock('../../../extension/editor/editor_snapshot', () => ({
  snapshotOf: () => snapshotOfText({ uri: 'u', path: 'a.py', languageId: 'python', text: 'x', offset: 1 }),
}));

describe('an edit that the user is asked about', () => {
  const document = {
    isClosed: false,
    version: 1,
    languageId: 'python',
    lines: [] as string[],
    get lineCount() {
      return this.lines.length;
    },
    getText: () => document.lines.join('\n'),
    lineAt: (line: number) => ({ text: document.lines[line] }),
  };
  const place = { line: 1, character: 2 };
  const selection = { active: place, start: { line: 1, character: 0 }, end: place, isEmpty: false };
  // A model that is still loaded may run by then: it is asked last of all.
  const edit = async (engine: object = { state: 'loading' }, given?: string): Promise<StructuredEdit> => {
    const parts = { engine } as unknown as EditParts;
    const structured = new StructuredEditor(parts, () => DEFAULT_OPTIONS);
    const asked = { document, selection, options: {} } as never;
    const done = await structured.edit(asked, editSelectionKind(), given);
    structured.dispose();
    return done;
  };

  beforeEach(() => {
    Object.assign(document, { isClosed: false, version: 1, lines: ['a = 1', 'b = 2', ''] });
    editor.meanwhile = () => undefined;
  });

  it('is of the lines that were selected', async () => {
    // What is to be renamed stands in the others alone.
    expect(await edit({ state: 'ready' })).toMatchObject({ ending: 'no_such_name' });
  });

  it('is not made where the model is still loaded when it is asked', async () => {
    expect(await edit()).toMatchObject({ ending: 'not_ready' });
  });

  it.each(['failed', 'stopped'])('is no question where the engine does not run: %s', async (state) => {
    const asked = vi.fn();
    editor.meanwhile = asked;
    expect(await edit({ state })).toMatchObject({ ending: 'not_ready' });
    expect(asked).not.toHaveBeenCalled();
  });

  it('says what it would break where it is not offered', async () => {
    const completion = { text: '1|b = (2', stop: 'end_token', ids: [], grammarEnded: true };
    const grammar = { close: () => undefined };
    const engine = {
      state: 'ready',
      compileGrammar: () => Promise.resolve({ ok: true, value: grammar }),
      generate: () => Promise.resolve({ ok: true, value: completion }),
    };
    const told = await edit(engine, 'set b to two');
    expect(told).toMatchObject({ ending: 'unsound', problem: 'unclosed' });
    expect(editText(told)).toBe(`${EDIT_ENDINGS.unsound} (${PROBLEMS.unclosed})`);
  });

  /** An editor that saves by itself may change other lines, and take blanks away, as soon as the box is open. */
  it.each([
    ['made', 'another line changes', ['a = 3', 'b = 2', ''], 'no_such_name'],
    ['made', 'blanks at their ends go', ['a = 1', 'b = 2  ', ''], 'no_such_name'],
    ['not made', 'they change', ['a = 1', 'b = 3', ''], 'document_changed'],
    ['not made', 'others stand there', ['', 'a = 1', 'b = 2', ''], 'document_changed'],
    ['not made', 'they are gone', ['a = 1'], 'document_changed'],
  ])('is %s where %s meanwhile', async (_, __, lines, ending) => {
    editor.meanwhile = () => Object.assign(document, { version: 2, lines });
    expect(await edit({ state: 'ready' })).toMatchObject({ ending });
  });

  it('is not made where the document is closed meanwhile', async () => {
    editor.meanwhile = () => (document.isClosed = true);
    expect(await edit()).toMatchObject({ ending: 'document_changed' });
  });
});
