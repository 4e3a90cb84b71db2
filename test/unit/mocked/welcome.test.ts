import { beforeEach, describe, expect, it, type Mock, vi } from 'vitest';
import { welcome } from '../../../extension/welcome';

interface Editor {
  opensOnInstall: boolean;
  activeTextEditor: object | undefined;
  execute: Mock<() => Promise<void>>;
}

const editor = vi.hoisted((): Editor => ({
  opensOnInstall: true,
  activeTextEditor: undefined,
  execute: vi.fn(() => Promise.resolve()),
}));

vi.mock('vscode', () => ({
  workspace: {
    getConfiguration: (section: string) => ({
      get: (name: string) =>
        `${section}.${name}` === 'workbench.welcomePage.walkthroughs.openOnInstall'
          ? editor.opensOnInstall
          : undefined,
    }),
  },
  window: {
    get activeTextEditor() {
      return editor.activeTextEditor;
    },
  },
  commands: { executeCommand: editor.execute },
}));

function state(): { values: Map<string, unknown>; memento: Parameters<typeof welcome>[0] } {
  const values = new Map<string, unknown>();
  const memento = {
    get: (key: string) => values.get(key),
    update: (key: string, value: unknown) => Promise.resolve(void values.set(key, value)),
    setKeysForSync: vi.fn(),
  };
  return { values, memento: memento };
}

describe('the walkthrough', () => {
  beforeEach(() => {
    editor.opensOnInstall = true;
    editor.activeTextEditor = undefined;
    editor.execute.mockReset().mockResolvedValue(undefined);
  });

  it('is opened once', async () => {
    const { memento } = state();
    expect(await welcome(memento)).toBe(true);
    expect(editor.execute).toHaveBeenCalledExactlyOnceWith(
      'workbench.action.openWalkthrough',
      'emberline.emberline#firstMinutes',
      false,
    );
    expect(await welcome(memento)).toBe(false);
    expect(editor.execute).toHaveBeenCalledOnce();
  });

  it('is once at most, even where it fails, or another machine showed it', async () => {
    const { memento, values } = state();
    editor.execute.mockRejectedValue(new Error('no such command'));
    expect(await welcome(memento)).toBe(false);
    expect(await welcome(memento)).toBe(false);
    expect(editor.execute).toHaveBeenCalledOnce();
    expect(memento.setKeysForSync).toHaveBeenCalledWith([...values.keys()]);
  });

  it('is not opened where it cannot be kept that it was: it would come with every start', async () => {
    const { memento } = state();
    const full = { ...memento, update: () => Promise.reject(new Error('ENOSPC: no space left on device')) };
    expect(await welcome(full)).toBe(false);
    expect(editor.execute).not.toHaveBeenCalled();
  });

  it('does not interrupt anybody, nor what the editor is told', async () => {
    editor.activeTextEditor = {};
    const busy = state();
    expect(await welcome(busy.memento)).toBe(false);
    editor.activeTextEditor = undefined;
    expect(await welcome(busy.memento)).toBe(false);
    editor.opensOnInstall = false;
    expect(await welcome(state().memento)).toBe(false);
    expect(editor.execute).not.toHaveBeenCalled();
  });
});
