import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { activate } from '../../../extension/main';

const executed = vi.hoisted(() =>
  vi.fn<(...given: readonly unknown[]) => Promise<void>>(() => Promise.resolve()),
);

vi.mock('vscode', () => ({
  commands: { executeCommand: executed, registerCommand: () => undefined },
}));
vi.mock('../../../extension/commands/table', () => ({ COMMANDS: {} }));
vi.mock('../../../extension/commands/engines', () => ({}));
vi.mock('../../../extension/welcome', () => ({ welcome: () => undefined }));
vi.mock('../../../extension/context', () => ({
  EmberlineContext: class {
    readonly manifest = {};
    readonly engine = { start: () => undefined };
    readonly log = { activated: () => undefined };
    readonly own = (): void => undefined;
    readonly onDidFailEngine = (): void => undefined;
    readonly startRemote = (): void => undefined;
  },
}));

/** Of keys and commands: what an extension host set that broke down, the editor's window keeps. */
it('begins without what the extension host before it left set', () => {
  const manifest = readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8');
  const clauses = [...manifest.matchAll(/"(?:when|enablement)": "(.*)"/g)].map(([, clause = '']) => clause);
  const asked = clauses.flatMap((clause) => clause.match(/(?<![.\w])emberline\.\w+/g) ?? []);
  activate({
    extensionPath: '',
    globalStorageUri: { fsPath: '/nowhere' },
    extension: { packageJSON: {} },
  } as never);
  const cleared = executed.mock.calls.filter(([, , value]) => value === false).map(([, key]) => key);
  expect(cleared).toEqual([...new Set(asked)].toSorted());
});
