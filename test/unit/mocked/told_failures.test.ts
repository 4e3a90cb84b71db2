/** What is said where something failed: once, and of what the user asked for. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { reportFailure } from '../../../extension/commands/engines';
import { editSelection, generate } from '../../../extension/commands/writing';
import type { EmberlineContext } from '../../../extension/context';
import { ENDINGS } from '../../../core/generate/endings';
import { EDIT_ENDINGS } from '../../../core/edit/edit_endings';

/** What messages say, and the buttons they have. */
const said = vi.hoisted(() => ({ messages: [] as string[], buttons: [] as string[][] }));

vi.mock('vscode', async () => {
  const show = (message: string, ...buttons: string[]): Promise<undefined> => {
    said.messages.push(message);
    said.buttons.push(buttons);
    return Promise.resolve(undefined);
  };
  return {
    ...(await import('../vscode_stub')),
    commands: { executeCommand: () => Promise.resolve() },
    window: { showInformationMessage: show, showErrorMessage: show },
  };
});

vi.mock('../../../extension/commands/reporting', () => ({ showLog: () => undefined }));

beforeEach(() => {
  said.messages = [];
  said.buttons = [];
});

const BROKEN = { code: 'FILE_NOT_FOUND', message: 'model.gguf does not exist; check the path.' };

function withEngine(ending: string, sentence: string, text = ''): EmberlineContext {
  const result = Promise.resolve({ ending, sentence, text });
  return {
    engine: { state: 'failed', error: BROKEN },
    generator: { generate: () => result },
    editor: { edit: () => result },
  } as unknown as EmberlineContext;
}

describe('while the engine of this machine does not run', () => {
  it.each(['not_ready', 'no_editor', 'not_here', 'nothing'] as const)(
    'generating says how it ended: %s',
    async (ending) => {
      await generate(withEngine(ending, ENDINGS[ending]));
      expect(said.messages).toEqual([`Emberline: ${ENDINGS[ending]}`]);
    },
  );

  it('editing does, too', async () => {
    await editSelection(withEngine('not_ready', EDIT_ENDINGS.not_ready), 'rename a to b');
    expect(said.messages).toEqual([`Emberline: ${EDIT_ENDINGS.not_ready}`]);
  });

  it('a remote engine that fails is told of', async () => {
    await generate(withEngine('failed', 'models.example.com is busy.'));
    expect(said.messages).toEqual(['Emberline: models.example.com is busy.']);
  });

  it('what broke it is not told a second time', async () => {
    await generate(withEngine('failed', BROKEN.message));
    await editSelection(withEngine('failed', BROKEN.message), 'rename a to b');
    expect(said.messages).toEqual([]);
  });
});

describe('a text that was edited while it was generated', () => {
  it.each([
    ['', [`Emberline: ${ENDINGS.edited}`]],
    ['return a', []],
  ])('is told of where nothing of it stands there: %j', async (text, told) => {
    await generate(withEngine('edited', ENDINGS.edited, text));
    expect(said.messages).toEqual(told);
  });
});

describe('a model that cannot be loaded', () => {
  const withModel = (modelPath: string): EmberlineContext =>
    ({ config: { engine: { modelPath } } }) as unknown as EmberlineContext;

  it('may be given up for another one where the user chose it', async () => {
    await reportFailure(withModel('/models/model.gguf'), BROKEN.code, BROKEN.message);
    expect(said.buttons).toEqual([['Choose Model', 'Restart', 'Show Log']]);
  });

  it('is all there is otherwise', async () => {
    await reportFailure(withModel(''), BROKEN.code, BROKEN.message);
    expect(said.buttons).toEqual([['Restart', 'Show Log']]);
  });
});
