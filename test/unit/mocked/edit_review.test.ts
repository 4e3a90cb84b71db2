/** An edit that was decided for is made, also where the tab of its file was closed meanwhile. */
import { describe, expect, it, vi } from 'vitest';
import type { EditProposal } from '../../../core/edit/edit_proposal';
import type { PreviewChoice } from '../../../extension/edit/edit_preview';
import { EditReview, type ReviewParts } from '../../../extension/edit/edit_review';

const { editor } = vi.hoisted(() => ({
  /** How often an edit was made. */
  editor: { made: 0 },
}));

vi.mock('vscode', async () => {
  const none = { dispose: () => undefined };
  return {
    ...(await import('../vscode_stub')),
    Disposable: { from: () => none },
    Range: class {
      readonly kind = 'range';
    },
    WorkspaceEdit: class {
      readonly replace = (): void => undefined;
    },
    workspace: {
      applyEdit: () => {
        editor.made++;
        return Promise.resolve(true);
      },
      onDidChangeTextDocument: () => none,
      onDidCloseTextDocument: () => none,
    },
  };
});

describe('an edit that was decided for', () => {
  it('is made where nothing but its view keeps the document open', async () => {
    const document = {
      isClosed: false,
      version: 1,
      getText: () => 'a = 1\n',
      positionAt: (offset: number) => offset,
    };
    const preview = {
      open: false,
      show: () => Promise.resolve((preview.open = true)),
      choice: (): Promise<PreviewChoice> => Promise.resolve('apply'),
      choose: () => undefined,
      close: () => {
        document.isClosed = true;
        return Promise.resolve((preview.open = false));
      },
    };
    const proposal: EditProposal = {
      ending: 'proposed',
      sentence: '',
      replacements: [{ offset: 0, length: 1, text: 'b' }],
    };
    const parts = { preview, write: () => Promise.resolve(proposal) } as unknown as ReviewParts;
    const request = { instruction: 'rename a to b' } as never;
    const reviewed = await new EditReview(parts, document as never, request, 'Edit').run();
    expect(reviewed.ending).toBe('applied');
    expect(editor.made).toBe(1);
    expect(preview.open).toBe(false);
  });
});
