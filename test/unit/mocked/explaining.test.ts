/** What "Why Was Nothing Suggested?" says, on a Mac. */
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { nothing } from '../../../core/completion/outcome';
import { REASONS } from '../../../core/completion/reasons';
import { explain, tryIt } from '../../../extension/commands/suggesting';
import type { EmberlineContext } from '../../../extension/context';

const { editor, platform } = vi.hoisted(() => {
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  return { editor: { messages: [] as string[], shows: true }, platform };
});

vi.mock('vscode', async () => ({
  ...(await import('../vscode_stub')),
  commands: { executeCommand: () => Promise.resolve() },
  Range: vi.fn(),
  window: {
    activeTextEditor: { document: {} },
    showTextDocument: (document: object) => Promise.resolve({ document }),
    showInformationMessage: (message: string) => {
      editor.messages.push(message);
      return Promise.resolve(undefined);
    },
  },
  workspace: {
    getConfiguration: () => ({ get: () => editor.shows }),
    openTextDocument: () => Promise.resolve({ getText: () => '', positionAt: () => ({}) }),
  },
}));

vi.mock('../../../extension/commands/reporting', () => ({ showLog: () => undefined }));

describe('why nothing was suggested', () => {
  beforeEach(() => {
    editor.messages = [];
    editor.shows = true;
  });
  afterAll(() => Object.defineProperty(process, 'platform', { value: platform }));

  const shown = { ...nothing('shown'), shown: true };
  const context = (held?: string, status = held === undefined ? 'ready' : 'off'): EmberlineContext =>
    ({
      held,
      status,
      lastDecided: { sequence: 1, outcome: shown },
      log: { note: () => undefined },
      provider: { askAgain: () => Promise.resolve() },
    }) as unknown as EmberlineContext;

  it('names the keys of the system', () => {
    expect(explain(context())).toBe(REASONS.shown);
    expect(editor.messages).toEqual([
      `Emberline: ${REASONS.shown} Tab takes it, Cmd+Right a word of it, Escape dismisses it.`,
    ]);
  });

  it.each([
    ['what holds Emberline back comes first', 'disabled', REASONS.disabled],
    [
      'the setting of the editor comes before what was asked',
      undefined,
      'editor.inlineSuggest.enabled); Alt+\\ does.',
    ],
  ])('%s', (_, held, expected) => {
    editor.shows = false;
    expect(explain(context(held))).toContain(expected);
    expect(editor.messages).toEqual([expect.stringContaining(expected)]);
  });

  it.each([
    ['error', REASONS.model_failed],
    ['loading', REASONS.model_loading],
  ])('is that the engine does not run, whatever was shown before: %s', async (status, expected) => {
    expect(explain(context(undefined, status))).toBe(expected);
    await tryIt(context(undefined, status));
    const told: unknown = expect.stringContaining(expected);
    expect(editor.messages).toEqual([told, told]);
  });
});
