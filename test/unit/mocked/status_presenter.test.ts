/** What the status bar says of the document one looks at. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { languageEnabled, DEFAULT_OPTIONS } from '../../../core/completion/options';
import type { Status } from '../../../extension/status';
import { StatusPresenter, type StatusParts } from '../../../extension/status_presenter';

type Listener = (value: unknown) => void;

const { editor } = vi.hoisted(() => ({
  editor: {
    active: undefined as { readonly document: object } | undefined,
    activate: undefined as Listener | undefined,
    open: undefined as Listener | undefined,
  },
}));

vi.mock('vscode', async () => {
  const on = (name: 'activate' | 'open') => (listener: Listener) => {
    editor[name] = listener;
    return { dispose: () => undefined };
  };
  return {
    ...(await import('../vscode_stub')),
    EventEmitter: class {
      readonly event = (): { dispose: () => void } => ({ dispose: () => undefined });
      readonly fire = (): void => undefined;
      readonly dispose = (): void => undefined;
    },
    MarkdownString: class {
      readonly appendMarkdown = (): void => undefined;
    },
    StatusBarAlignment: { Right: 2 },
    ThemeColor: class {
      readonly id = '';
    },
    window: {
      get activeTextEditor() {
        return editor.active;
      },
      createStatusBarItem: () => ({ show: () => undefined, dispose: () => undefined }),
      onDidChangeActiveTextEditor: on('activate'),
    },
    workspace: { onDidOpenTextDocument: on('open') },
  };
});

let presenter: StatusPresenter;
const engine = { state: 'ready' };
const control = { state: 'none', detail: '' };

beforeEach(() => {
  editor.active = undefined;
  engine.state = 'ready';
  control.state = 'none';
  const languages = { '*': true, markdown: false };
  presenter = new StatusPresenter({
    config: {
      completion: DEFAULT_OPTIONS,
      isEnabledFor: (language: string) => languageEnabled(languages, language),
    },
    engine,
    restraints: { applied: DEFAULT_OPTIONS, pause: {} },
    control,
    writing: () => false,
  } as unknown as StatusParts);
  presenter.refresh();
});
afterEach(() => presenter.dispose());

function look(languageId: string): { document: { languageId: string } } {
  const document = { languageId, uri: 'file:///w/notes' };
  editor.active = { document };
  editor.activate?.(editor.active);
  return { document };
}

it('follows the editor that one looks at', () => {
  const said: Status[] = [presenter.status];
  for (const language of ['markdown', 'python']) {
    look(language);
    said.push(presenter.status);
  }
  expect(said).toEqual(['ready', 'off', 'ready']);
});

it('follows the language of its document, which is opened again for another', () => {
  const { document } = look('python');
  expect(presenter.status).toBe('ready');
  document.languageId = 'markdown';
  editor.open?.(document);
  expect(presenter.status).toBe('off');
});

it('is in order where a remote engine answers in the place of one that does not run', () => {
  engine.state = 'failed';
  const said: Status[] = [];
  for (const state of ['none', 'answers', 'away']) {
    control.state = state;
    presenter.refresh();
    said.push(presenter.status);
  }
  expect(said).toEqual(['error', 'ready', 'error']);
});
