import { describe, expect, it } from 'vitest';
import { type DocumentSnapshot, snapshotOfText } from '../../core/completion/document';
import { SECRET_FILES } from '../../core/completion/excluded_files';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { matchesAny } from '../../core/completion/path_patterns';
import { refusal } from '../../core/completion/trigger';

/** A document with the cursor at the `|` of `text`. */
function document(text: string, changes: Partial<DocumentSnapshot> = {}): DocumentSnapshot {
  const offset = text.indexOf('|');
  const plain = text.slice(0, offset) + text.slice(offset + 1);
  const source = { uri: 'file:///a.py', path: 'a.py', languageId: 'python', text: plain, offset };
  return { ...snapshotOfText(source), ...changes };
}

const ask = (
  text: string,
  changes: Partial<DocumentSnapshot> = {},
  options = DEFAULT_OPTIONS,
): string | undefined => refusal(document(text, changes), options);

describe('the trigger', () => {
  it('asks where one types', () => {
    expect(ask('x = |')).toBeUndefined();
    expect(ask('print(|)')).toBeUndefined();
    expect(ask('def f():\n    |\n')).toBeUndefined();
    expect(ask('x = [\n  1,\n|]')).toBeUndefined();
  });

  it('asks in front of a word, but not within one', () => {
    for (const text of [
      'return |ready',
      'foo(|größe)',
      'a.|b',
      '  |ready\n x',
      '`hello|${name}`',
      '$x^2|$',
    ]) {
      expect(ask(`x = 1\n${text}`), text).toBeUndefined();
    }
    for (const text of ['re|ady', 'größ|e', 'a_|b', 'a|$b']) expect(ask(text), text).toBe('inside_word');
  });

  it('respects the settings', () => {
    expect(ask('x|', {}, { ...DEFAULT_OPTIONS, enabled: false })).toBe('disabled');
    const languages = { '*': true, python: false };
    expect(ask('x|', {}, { ...DEFAULT_OPTIONS, languages })).toBe('disabled_for_language');
    const others = { '*': false, python: true };
    expect(ask('x|', {}, { ...DEFAULT_OPTIONS, languages: others })).toBeUndefined();
    expect(ask('x|', { languageId: 'go' }, { ...DEFAULT_OPTIONS, languages: others })).toBe(
      'disabled_for_language',
    );
  });

  it('leaves the commit message box alone unless asked', () => {
    const box = { kind: 'source_control', languageId: 'scminput' } as const;
    expect(ask('fix |', box)).toBe('source_control_input');
    const languages = { '*': true, scminput: true };
    expect(ask('fix |', box, { ...DEFAULT_OPTIONS, languages })).toBeUndefined();
    const asked = { ...box, kind: 'commit_message' } as const;
    expect(ask('fix |', asked)).toBeUndefined();
    expect(ask('fix |', asked, { ...DEFAULT_OPTIONS, enabled: false })).toBe('disabled');
  });

  it('knows documents that make no sense', () => {
    expect(ask('x|', { kind: 'unsupported' })).toBe('unsupported_document');
    expect(ask('x|', { kind: 'read_only' })).toBe('read_only');
    expect(ask('x|', { lineLength: 10_000_000 })).toBe('line_too_long');
    expect(ask('\u0000\u0001ELF|')).toBe('binary_content');
    expect(ask(`${'\ufffd'.repeat(4)}|`)).toBe('binary_content');
    expect(ask('|')).toBe('blank_document');
    expect(ask('\n  |\nx = 1')).toBe('blank_document');
  });

  it('asks in text with a few odd characters', () => {
    for (const odd of ['\f', '\u001b', '\u007f', '\ufffd']) {
      expect(ask(`a = 1\n${odd}\nb = |`), JSON.stringify(odd)).toBeUndefined();
    }
    expect(ask(`${'\f\n'.repeat(50)}b = |`)).toBeUndefined();
    const line = `${'value = compute(value)\n'.repeat(20)}b = |`;
    expect(ask('\u001b'.repeat(8) + line)).toBeUndefined();
    expect(ask('\u001b'.repeat(40) + line)).toBe('binary_content');
    expect(ask(`\u0000${line}`)).toBe('binary_content');
  });

  it('knows cursors that make no sense', () => {
    expect(ask('x|', { selectionEmpty: false })).toBe('selection');
    expect(ask('x|', { cursors: 2 })).toBe('multiple_cursors');
    expect(ask('fo|o')).toBe('inside_word');
    expect(ask('x = "\ud83d|\ude00"')).toBe('inside_character');
  });

  it('excludes files that may hold secrets', () => {
    expect(ask('KEY=|', { path: 'app/.env' })).toBe('excluded_file');
    expect(ask('KEY=|', { path: 'app/.env' }, { ...DEFAULT_OPTIONS, excludedFiles: [] })).toBeUndefined();
  });

  it('excludes files by the folders above the workspace as well', () => {
    const credentials = { path: 'credentials', fullPath: '/home/me/.aws/credentials' };
    expect(ask('key = |', credentials)).toBe('excluded_file');
    const outside = { path: 'a/b/x.txt', fullPath: '/srv/secrets/a/b/x.txt' };
    expect(ask('key = |', outside)).toBeUndefined();
    const excluding = (pattern: string): typeof DEFAULT_OPTIONS => ({
      ...DEFAULT_OPTIONS,
      excludedFiles: [pattern],
    });
    expect(ask('key = |', outside, excluding('**/secrets/**'))).toBe('excluded_file');
    expect(ask('key = |', outside, excluding('/srv/secrets/**'))).toBe('excluded_file');
    expect(ask('key = |', outside, excluding('a/**'))).toBe('excluded_file');
    expect(ask('key = |', outside, excluding('srv/**'))).toBeUndefined();
    const onWindows = { path: 'a/b/x.txt', fullPath: '/c:/Secrets/a/b/x.txt' };
    expect(ask('key = |', onWindows, excluding('C:/secrets/**'))).toBe('excluded_file');
  });
});

describe('excluded file names', () => {
  it.each(['.env', 'a/.env.local', 'prod.env', 'x/server.PEM', 'home/.aws/credentials', '.aws/credentials'])(
    'covers %s',
    (path) => expect(matchesAny(path, SECRET_FILES)).toBe(true),
  );

  it.each(['env.py', 'a.environment', 'keys.ts', 'docs/credentials', 'key', 'a.env/main.py'])(
    'leaves %s',
    (path) => expect(matchesAny(path, SECRET_FILES)).toBe(false),
  );

  it('understands choices, folders and plain characters', () => {
    expect(matchesAny('a/b/c.ts', ['**/b/*.{ts,js}'])).toBe(true);
    expect(matchesAny('a/b/c.go', ['**/b/*.{ts,js}'])).toBe(false);
    expect(matchesAny('a/secret/x/y.txt', ['a/secret/**'])).toBe(true);
    expect(matchesAny('axb', ['a.b'])).toBe(false);
    expect(matchesAny('a+(b).txt', ['a+(b).t?t'])).toBe(true);
    expect(matchesAny('anything', ['{unclosed'])).toBe(false);
    expect(matchesAny('a{b', ['a{b'])).toBe(true);
    expect(matchesAny('y2.pem', ['{x,y{1,2}}.{key,pem}'])).toBe(true);
    expect(matchesAny('y3.pem', ['{x,y{1,2}}.{key,pem}'])).toBe(false);
    expect(matchesAny('a/x/b', ['a/*/b'])).toBe(true);
    expect(matchesAny('a/x/y/b', ['a/*/b'])).toBe(false);
    expect(matchesAny('a/x/y/b', ['a/**/b'])).toBe(true);
    expect(matchesAny('a/b', ['a/**/b'])).toBe(true);
  });

  it('are compared in time proportional to their length', () => {
    // A matcher that tries every way to share the name between the asterisks would not come to an end.
    const many = `${'*a'.repeat(200)}b`;
    expect(matchesAny('a'.repeat(5_000), [many])).toBe(false);
    expect(matchesAny('a/'.repeat(2_000), [`${'**/a/'.repeat(90)}b`])).toBe(false);
    expect(matchesAny(`${'a'.repeat(5_000)}b`, [many])).toBe(true);
  });

  it('may have more choices than are ever written out', () => {
    const many = `${'{a,b}'.repeat(80)}.key`;
    expect(matchesAny(`${'ab'.repeat(40)}.key`, [many])).toBe(true);
    expect(matchesAny(`${'ab'.repeat(40)}.txt`, [many])).toBe(false);
    expect(matchesAny('x', ['x'.repeat(501)])).toBe(false);
  });
});
