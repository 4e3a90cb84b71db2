/** Text that grows in a document, and the look at others in its place, while the editor tells of the document. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { MadeText, TextMaker } from '../../../core/generate/text_maker';
import { Insertion } from '../../../extension/generate/insertion';
import { type ReviewedPlace, TextReview } from '../../../extension/generate/text_review';

type Listener = (value: unknown) => void;

const { editor } = vi.hoisted(() => ({
  editor: { close: undefined as Listener | undefined },
}));

vi.mock('vscode', () => {
  const none = { dispose: () => undefined };
  return {
    window: { onDidChangeActiveTextEditor: () => none },
    workspace: {
      onDidChangeTextDocument: () => none,
      onDidCloseTextDocument: (listener: Listener) => {
        editor.close = listener;
        return none;
      },
    },
  };
});

/** VS Code tells of another language by closing the document and opening it again: it is the same one, and not closed. */
describe('where the language of the document changes', () => {
  const document = { isClosed: false, version: 1, offsetAt: () => 0 };

  beforeEach(() => {
    document.isClosed = false;
  });

  it('text goes on growing, until the document is closed', () => {
    const interrupted = vi.fn();
    const insertion = new Insertion(document as never, {} as never, interrupted);
    editor.close?.(document);
    expect([insertion.interruption, interrupted.mock.calls]).toEqual([undefined, []]);
    document.isClosed = true;
    editor.close?.(document);
    expect([insertion.interruption, interrupted.mock.calls]).toEqual(['closed', [['closed']]]);
    insertion.dispose();
  });

  it('others can still be looked at, until the document is closed', () => {
    const ended = vi.fn();
    const place = { document, snapshot: {}, before: '', offset: 0 } as unknown as ReviewedPlace;
    const first = { answer: { ok: false }, text: 'x' } as MadeText;
    const review = new TextReview({} as TextMaker, place, first, ended);
    editor.close?.(document);
    expect(ended).not.toHaveBeenCalled();
    document.isClosed = true;
    editor.close?.(document);
    expect(ended).toHaveBeenCalledOnce();
    review.dispose();
  });
});
