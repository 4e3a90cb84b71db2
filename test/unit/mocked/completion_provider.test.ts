import { beforeEach, describe, expect, it, vi } from 'vitest';
import { snapshotOfText } from '../../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../../core/completion/options';
import { nothing } from '../../../core/completion/outcome';
import type { CompletionPipeline, SuggestionRequest } from '../../../core/completion/pipeline';
import { GhostTextProvider } from '../../../extension/completion/provider';

const { INVOKE, AUTOMATIC, editor } = vi.hoisted(() => ({
  INVOKE: 0,
  AUTOMATIC: 1,
  /** What the editor does when told to ask. */
  editor: {
    trigger: (command: string): Promise<unknown> => Promise.resolve(command),
    close: (uri: string): void => expect.unreachable(uri),
  },
}));

vi.mock('vscode', () => {
  const event = (): { dispose: () => void } => ({ dispose: () => undefined });
  return {
    EventEmitter: class {
      readonly event = event;
      readonly fire = (): void => undefined;
      readonly dispose = (): void => undefined;
    },
    Position: class {
      readonly isBefore = (): boolean => false;
    },
    Range: class {
      readonly start: unknown;
      readonly end: unknown;
      constructor(start: unknown, end: unknown) {
        this.start = start;
        this.end = end;
      }
    },
    InlineCompletionItem: vi.fn(),
    InlineCompletionTriggerKind: { Invoke: INVOKE, Automatic: AUTOMATIC },
    window: { onDidChangeTextEditorSelection: event },
    workspace: {
      onDidChangeTextDocument: event,
      onDidCloseTextDocument: (listener: (document: { uri: string }) => void) => {
        editor.close = (uri) => listener({ uri });
        return event();
      },
    },
    commands: { executeCommand: (command: string) => editor.trigger(command) },
  };
});

const textAt = (offset: number): ReturnType<typeof snapshotOfText> =>
  snapshotOfText({ uri: 'u', path: 'a.py', languageId: 'python', text: 'x', offset });

vi.mock('../../../extension/editor/editor_snapshot', () => ({ snapshotOf: () => textAt(1) }));

describe('the ghost text provider', () => {
  let requests: SuggestionRequest[] = [];
  let provider: GhostTextProvider;
  let answer = nothing('blank_result');
  let copied: string | undefined;
  /** Settles once no model is loaded any more. */
  let load: Promise<void>;

  beforeEach(() => {
    load = Promise.resolve();
    copied = undefined;
    requests = [];
    answer = nothing('blank_result');
    const complete = (request: SuggestionRequest): Promise<ReturnType<typeof nothing>> => {
      requests.push(request);
      return Promise.resolve(answer);
    };
    provider = new GhostTextProvider(
      { complete, forget: () => undefined } as unknown as CompletionPipeline,
      () => DEFAULT_OPTIONS,
      { beside: () => [], snippets: () => [], clipboard: () => Promise.resolve(copied) },
      { around: (snapshot) => Promise.resolve(snapshot) },
      { settled: () => load },
    );
    editor.trigger = () => ask(INVOKE);
  });

  function ask(triggerKind: number): Promise<unknown> {
    const position = { line: 0, character: 1, isBefore: () => false, translate: () => position };
    const document = {
      uri: 'u',
      version: 1,
      languageId: 'python',
      offsetAt: () => 1,
      lineCount: 1,
      lineAt: () => ({ text: 'x' }),
      getText: () => 'x',
    };
    const context = { triggerKind, selectedCompletionInfo: undefined };
    const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => 0 }) };
    const call = [document, position, context, token] as unknown;
    return provider.provideInlineCompletionItems(
      ...(call as Parameters<GhostTextProvider['provideInlineCompletionItems']>),
    );
  }

  const explicit = (): unknown[] => requests.map((request) => request.explicit === true);

  it('tells what the user asked for from what the editor asks while typing', async () => {
    await ask(AUTOMATIC);
    await ask(INVOKE);
    expect(explicit()).toEqual([false, true]);
  });

  it('takes what was copied for what the user asked for alone', async () => {
    copied = 'total = 1\n';
    await ask(AUTOMATIC);
    await ask(INVOKE);
    expect(requests.map(({ clipboard }) => clipboard)).toEqual([undefined, copied]);
  });

  it('has whoever asks wait for the model, and whoever types not', async () => {
    let loaded = (): void => undefined;
    load = new Promise((resolve) => {
      loaded = resolve;
    });
    answer = nothing('model_loading');
    await ask(AUTOMATIC);
    const asked = ask(INVOKE);
    await vi.waitFor(() => expect(explicit()).toEqual([false, true]));
    answer = nothing('blank_result');
    loaded();
    await asked;
    expect(explicit()).toEqual([false, true, true]);
  });

  it('does not take its own asking for the user, once', async () => {
    await provider.askAgain();
    await ask(INVOKE);
    expect(explicit()).toEqual([false, true]);
  });

  it('goes on behind what it shows, where the cursor still is', async () => {
    const { signal } = new AbortController();
    await provider.prepareNext(textAt(1), signal);
    answer = { ...nothing('shown'), shown: true, text: ' = 1', source: 'model' };
    await ask(AUTOMATIC);
    requests = [];
    await provider.prepareNext(textAt(0), signal);
    expect(requests).toEqual([]);
    await provider.prepareNext(textAt(1), signal);
    expect(requests.map(({ document }) => document.before)).toEqual(['x = 1']);
  });

  it('keeps nothing of what it showed in a document that is closed', async () => {
    const { signal } = new AbortController();
    answer = { ...nothing('shown'), shown: true, text: ' = 1', source: 'model' };
    await ask(AUTOMATIC);
    requests = [];
    editor.close('other');
    await provider.prepareNext(textAt(1), signal);
    expect(requests).toHaveLength(1);
    editor.close('u');
    await provider.prepareNext(textAt(1), signal);
    expect(requests).toHaveLength(1);
  });

  it('forgets that it asked when the editor had no reason to', async () => {
    editor.trigger = () => Promise.resolve();
    await provider.askAgain();
    await ask(INVOKE);
    editor.trigger = () => Promise.reject(new Error('no editor'));
    await expect(provider.askAgain()).rejects.toThrow('no editor');
    await ask(INVOKE);
    expect(explicit()).toEqual([true, true]);
  });

  it('takes the new one where Tab comes while it takes the place of what was shown', async () => {
    const commands: string[] = [];
    const waiting: (() => void)[] = [];
    editor.trigger = (command) => {
      commands.push(command);
      return new Promise<void>((resolve) => {
        if (command === 'runCommands') waiting.push(resolve);
        else resolve();
      });
    };
    const asked = provider.askAgain(true);
    const accepted = provider.accept();
    await Promise.resolve();
    expect(commands).toEqual(['setContext', 'runCommands']);
    for (const resolve of waiting) resolve();
    await Promise.all([asked, accepted]);
    expect(commands.toSorted()).toEqual([
      'editor.action.inlineSuggest.commit',
      'runCommands',
      'setContext',
      'setContext',
    ]);
  });
});
