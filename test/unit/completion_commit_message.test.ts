import { describe, expect, it } from 'vitest';
import { type Change, withChange } from '../../core/completion/commit_message';
import { snapshotOfText } from '../../core/completion/document';
import { SECRET_FILES } from '../../core/completion/excluded_files';

const box = (text: string): ReturnType<typeof snapshotOfText> =>
  snapshotOfText({ uri: 'u', path: 'git/scm0/input', languageId: 'scminput', text, offset: text.length });

/** What stands above the message. */
function above(change: Partial<Change>, excluded: readonly string[] = SECRET_FILES): string {
  const whole = { diff: '', subjects: [], root: '/home/me/project', ...change };
  return withChange(box(''), whole, excluded).before;
}

/** As git writes the change of one file. */
function file(name: string, ...hunks: readonly string[]): string {
  const quote = name.includes('\\') ? '"' : '';
  return [
    `diff --git ${quote}a/${name}${quote} ${quote}b/${name}${quote}\n`,
    'index 257cc56..5716ca5 100644\n',
    `--- ${quote}a/${name}${quote}\n`,
    `+++ ${quote}b/${name}${quote}\n`,
    ...hunks,
  ].join('');
}

const HUNK = '@@ -1 +1 @@ def f():\n same\n\n-old\n+new\n\\ No newline at end of file\n';

describe('a commit message', () => {
  it('goes on from the change and the subjects before it', () => {
    const change = { diff: file('a.py', HUNK), subjects: ['first', 'second'], root: '/r' };
    const document = withChange(box('fix'), change, []);
    expect(document.path).toBe('COMMIT_EDITMSG');
    expect(document.before).toBe(
      '# +++ b/a.py\n# @@ -1 +1 @@ def f():\n# -old\n# +new\n\nfirst\nsecond\nfix',
    );
  });

  it('goes on from what there is', () => {
    expect(above({})).toBe('');
    expect(above({ subjects: ['only'] })).toBe('only\n');
    expect(above({ diff: file('a', HUNK) })).toMatch(/\+new\n\n$/);
  });

  it('has the lines of files with other line breaks', () => {
    const diff = file('a.py', HUNK.replace('-old\n+new\n', '-old\r\n+new\r\n'));
    expect(above({ diff })).toBe(above({ diff: file('a.py', HUNK) }));
  });

  it('has the last subjects, cut', () => {
    const subjects = [...Array.from({ length: 20 }, (_, at) => `subject ${at}`), 'x'.repeat(1_000)];
    const lines = above({ subjects }).split('\n');
    expect(lines).toHaveLength(9);
    expect(lines[0]).toBe('subject 13');
    expect(lines[7]).toBe('x'.repeat(200));
  });

  it.each([
    ['.env'],
    ['deep/down/.env.local'],
    ['keys/server.pem'],
    ['\\303\\274ber.pem'],
    ['with space.pem\t'],
    ['home/.aws/credentials'],
  ])('says nothing of %j', (name) => {
    expect(above({ diff: file(name, HUNK) })).toBe('');
    const text = above({
      diff: file('a.py', HUNK) + file(name, '@@ -1 +1 @@\n+SECRET\n') + file('b.py', HUNK),
    });
    expect(text).not.toContain('SECRET');
    expect(text).toContain('+++ b/a.py');
    expect(text).toContain('+++ b/b.py');
  });

  it('says nothing of a file that is left alone because of a folder above the repository', () => {
    const diff = file('package/secrets/a.py', HUNK);
    for (const pattern of ['**/vault/**', '/srv/vault/**', 'secrets/*', 'x/package/**', 'package/secrets/*'])
      expect(above({ diff, root: '/srv/vault/x' }, [pattern]), pattern).toBe('');
    expect(above({ diff, root: '/srv/vault/x' }, ['vault/*', 'package'])).not.toBe('');
  });

  it('knows names of other characters, and those without a letter in front', () => {
    expect(above({ diff: file('\\303\\274ber.py', HUNK) }, ['über.py'])).toBe('');
    expect(above({ diff: file('100%\\303\\274.py', HUNK) }, ['100%ü.py'])).toBe('');
    const bare = 'diff --git x.pem x.pem\n--- x.pem\n+++ x.pem\n' + HUNK;
    expect(above({ diff: bare })).toBe('');
  });

  it('names what was deleted by its old name, and looks at the old name of what was renamed', () => {
    const gone = 'diff --git a/a.py b/a.py\n--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n';
    expect(above({ diff: gone })).toContain('# --- a/a.py\n# @@');
    const renamed = 'diff --git a/a.pem b/a.txt\n--- a/a.pem\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n';
    expect(above({ diff: renamed })).toBe('');
  });

  it('is not misled by lines that look like a header', () => {
    const hunk = '@@ -1,2 +1,2 @@\n--- a/.env\n+++ b/.env\n diff --git a/x b/.env\n';
    expect(above({ diff: file('notes.txt', hunk) })).toContain('+++ b/.env');
  });

  it('says nothing of what it does not understand', () => {
    expect(above({ diff: '\u001b[1mdiff --git a/a b/a\u001b[m\n+secret\n' })).toBe('');
    expect(above({ diff: 'diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n' })).toBe('');
  });

  it('has something of every file before more of one, at whole lines', () => {
    const long = `@@ -1 +1 @@ long\n${'+a line of text\n'.repeat(1_000)}`;
    const text = above({ diff: file('a', HUNK, long) + file('b', HUNK) });
    expect(text).toContain('+++ b/b');
    expect(text).toContain('long');
    expect(text.length).toBeLessThan(2_000);
    for (const line of text.trimEnd().split('\n').slice(0, -1)) {
      expect(line).toMatch(/^# (\+\+\+ b\/[ab]|@@ .*|-old|\+new|\+a line of text)$/);
    }
  });
});
