import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type DocumentSnapshot, snapshotOfText } from '../../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../../core/completion/options';
import { CommitBox } from '../../../extension/editor/commit_box';

const { git } = vi.hoisted(() => ({
  /** What the editor's git extension says. */
  git: {
    isActive: true,
    staged: (): Promise<string> => Promise.resolve(''),
    working: (): Promise<string> => Promise.resolve(''),
    log: (): Promise<{ message: string }[]> => Promise.resolve([]),
    asked: 0,
  },
}));

vi.mock('vscode', () => {
  const repository = {
    rootUri: { path: '/w/a b', toString: () => 'file:///w/a%20b' },
    diff: (staged: boolean) => {
      git.asked++;
      return staged ? git.staged() : git.working();
    },
    log: () => git.log(),
  };
  class EventEmitter {
    private listener: (value: unknown) => void = () => undefined;
    event = (listener: (value: unknown) => void): void => void (this.listener = listener);
    fire = (value: unknown): void => this.listener(value);
  }
  return {
    EventEmitter,
    extensions: {
      getExtension: () => ({
        isActive: git.isActive,
        exports: { getAPI: () => ({ repositories: [repository] }) },
      }),
    },
  };
});

const ROOT = `rootUri=${encodeURIComponent('file:///w/a%20b')}`;
const diffOf = (name: string): string =>
  `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ @@\n+new\n`;

describe('the commit box', () => {
  let box: CommitBox;
  let languages: Record<string, boolean>;
  let enabled: boolean;

  beforeEach(() => {
    languages = {};
    enabled = true;
    box = new CommitBox(() => ({ ...DEFAULT_OPTIONS, enabled, languages }));
    git.isActive = true;
    git.asked = 0;
    git.staged = () => Promise.resolve(diffOf('staged.py'));
    git.working = () => Promise.resolve(diffOf('working.py'));
    git.log = () => Promise.resolve([{ message: 'second\n\nBody.' }, { message: 'first' }]);
  });

  function around(explicit: boolean, query = ROOT, path = 'git/scm0/input'): Promise<DocumentSnapshot> {
    const source = { uri: 'u', path, languageId: 'scminput', text: 'fix', offset: 3 };
    const snapshot = { ...snapshotOfText(source), kind: 'source_control' } as const;
    const document = { uri: { path, query, toString: () => `vscode-scm:${path}?${query}` } };
    return box.around(snapshot, document as unknown as Parameters<CommitBox['around']>[1], explicit);
  }

  it('has what is staged and the subjects above the message of who asks', async () => {
    const { kind, before } = await around(true);
    expect(kind).toBe('commit_message');
    expect(before).toBe('# +++ b/staged.py\n# @@ @@\n# +new\n\nfirst\nsecond\nfix');
  });

  it('has what is not staged where nothing is', async () => {
    git.staged = () => Promise.resolve('');
    expect((await around(true)).before).toContain('working.py');
  });

  it('has a repository without commits', async () => {
    git.log = () => Promise.reject(new Error('no commits'));
    expect((await around(true)).before).toMatch(/\+new\n\nfix$/);
  });

  it('has nothing of files that may hold secrets', async () => {
    git.staged = () => Promise.resolve(diffOf('.env'));
    expect((await around(true)).before).toBe('first\nsecond\nfix');
  });

  it('is as it was for who does not ask', async () => {
    expect(await around(false)).toMatchObject({ kind: 'source_control', before: 'fix' });
    expect(git.asked).toBe(0);
  });

  it('asks git now and then for who types, where the settings say so, and always for who asks', async () => {
    languages = { scminput: true };
    expect(await around(false)).toMatchObject({ kind: 'source_control' });
    expect((await around(false)).before).toContain('staged.py');
    expect(git.asked).toBe(1);
    await around(true);
    expect(git.asked).toBe(2);
  });

  it.each([
    ['another repository', 'rootUri=file%3A%2F%2F%2Fother', 'git/scm0/input'],
    ['something else than git', ROOT, 'hg/scm0/input'],
  ])('has nothing in that of %s but what is written', async (_, query, path) => {
    expect(await around(true, query, path)).toMatchObject({ kind: 'commit_message', before: 'fix' });
  });

  it('is of the only repository where the editor names none', async () => {
    expect((await around(true, '')).before).toContain('staged.py');
  });

  it('has nothing but what is written without git, and where git fails', async () => {
    git.staged = () => Promise.reject(new Error('git'));
    expect(await around(true)).toMatchObject({ kind: 'commit_message', before: 'fix' });
    git.isActive = false;
    expect(await around(true)).toMatchObject({ kind: 'commit_message', before: 'fix' });
  });

  it('does not wait for a git that takes long, and has its answer the next time', async () => {
    languages = { scminput: true };
    let answer: (diff: string) => void = () => undefined;
    git.staged = () => new Promise((resolve) => (answer = resolve));
    vi.useFakeTimers();
    const late = around(false);
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    expect(await late).toMatchObject({ before: 'fix' });
    answer(diffOf('late.py'));
    expect((await around(false)).before).toContain('late.py');
    expect(git.asked).toBe(1);
  });

  it('asks nothing where suggestions are off', async () => {
    enabled = false;
    expect(await around(true)).toMatchObject({ kind: 'source_control', before: 'fix' });
    expect(git.asked).toBe(0);
  });

  it('tells when the change is another one', async () => {
    const told: unknown[] = [];
    box.onDidChange((uri) => told.push(uri));
    await around(true);
    await around(true);
    expect(told).toEqual(['u']);
    git.staged = () => Promise.resolve(diffOf('other.py'));
    await around(true);
    expect(told).toEqual(['u', 'u']);
  });
});
