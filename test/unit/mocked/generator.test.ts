import { expect, it, vi } from 'vitest';
import { snapshotOfText } from '../../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../../core/completion/options';
import { DEFAULT_GENERATE } from '../../../core/generate/options';
import { Generator } from '../../../extension/generate/generator';

const { editor } = vi.hoisted(() => ({
  /** What happens while the box is open in which somebody says what is to be otherwise. */
  editor: { meanwhile: (): void => undefined, change: undefined as ((event: unknown) => void) | undefined },
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
    commands: { executeCommand: () => Promise.resolve() },
    window: {
      activeTextEditor: undefined,
      onDidChangeActiveTextEditor: () => none,
      showInputBox: () => {
        editor.meanwhile();
        return Promise.resolve('but shorter');
      },
    },
    workspace: {
      onDidChangeTextDocument: (listener: (event: unknown) => void) => {
        editor.change = listener;
        return none;
      },
      onDidCloseTextDocument: () => none,
    },
  };
});
vi.mock('../../../extension/editor/editor_snapshot', () => ({
  snapshotOf: () => snapshotOfText({ uri: 'u', path: 'a.py', languageId: 'python', text: 'x', offset: 1 }),
}));
vi.mock('../../../core/generate/text_maker', () => ({
  TextMaker: class {
    readonly make = (): unknown =>
      Promise.resolve({ answer: { ok: true }, text: ' = 1', whole: true, remote: true });
  },
}));
vi.mock('../../../extension/generate/insertion', () => ({
  Insertion: class {
    readonly text = ' = 1';
    readonly finish = (): Promise<void> => Promise.resolve();
    readonly dispose = (): void => undefined;
  },
}));

it('says so where a save changes the text while one writes what is to be otherwise', async () => {
  const document = { version: 1, getText: () => 'x', offsetAt: () => 1 };
  const options = { completion: DEFAULT_OPTIONS, generate: DEFAULT_GENERATE };
  const generator = new Generator(
    { state: 'ready' } as never,
    () => options,
    () => [],
    {} as never,
  );
  await generator.generate({ document, selection: {} } as never);
  editor.meanwhile = () => editor.change?.({ document, contentChanges: [{}] });
  expect((await generator.again()).ending).toBe('edited');
  generator.dispose();
});
