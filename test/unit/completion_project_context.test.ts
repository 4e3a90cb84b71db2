/** Which pieces a model reads, how they are chosen, and in which order they stand. */
import { describe, expect, it } from 'vitest';
import { clipboardSnippet } from '../../core/completion/clipboard';
import { snapshotOfText } from '../../core/completion/document';
import { DEFAULT_OPTIONS, type WhereItPays } from '../../core/completion/options';
import { sharesFor } from '../../core/completion/project_context';
import { chooseSnippets, type Snippet } from '../../core/completion/snippets';

const MARKS = { suffix: 8, prefix: 9, separator: 5, middle: 11 };
const EMBEDDED = { parameters: 135e6, fim: { ...MARKS, layout: 'suffix_prefix_contiguous' } };
const PLAIN = { parameters: 7e9, fim: { ...MARKS, layout: 'prefix_suffix_middle' } };
const REPOSITORIES = { ...PLAIN, fim: { ...PLAIN.fim, files: 'path_before_marks' } };
const NONE = { parameters: 7e9, fim: undefined };

describe('the kinds that a model reads', () => {
  const kinds = (
    reader: Parameters<typeof sharesFor>[1],
    choice: WhereItPays = 'auto',
  ): readonly string[] => {
    const options = { ...DEFAULT_OPTIONS, similarCode: choice, definitions: choice };
    return [...sharesFor(options, reader).keys()];
  };

  it('are those that pay for it, unless somebody says otherwise', () => {
    expect(kinds(EMBEDDED)).toEqual(['similar']);
    expect(kinds(PLAIN)).toEqual([]);
    expect(kinds(REPOSITORIES)).toEqual(['definition']);
    for (const reader of [EMBEDDED, PLAIN, REPOSITORIES]) {
      expect(kinds(reader, 'always')).toEqual(['definition', 'similar']);
      expect([...sharesFor({ ...DEFAULT_OPTIONS, recentEdits: true }, reader).keys()]).toContain('edit');
      expect(kinds(reader, 'never')).toEqual([]);
    }
  });

  it('are none of one that does not fill in the middle', () => {
    expect(kinds(NONE, 'always')).toEqual([]);
  });

  it('leave half of the prompt to the document', () => {
    const shares = sharesFor(
      { ...DEFAULT_OPTIONS, similarCode: 'always', definitions: 'always', recentEdits: true },
      PLAIN,
    );
    expect([...shares.values()].reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(1 / 2);
  });
});

describe('pieces of other files', () => {
  const document = snapshotOfText({ uri: 'u', path: 'a.py', languageId: 'python', text: '', offset: 0 });
  const piece = (kind: Snippet['kind'], path: string, text: string): Snippet => ({
    ...(kind !== undefined && { kind }),
    path,
    languageId: 'python',
    text,
  });

  it('stand in the order of what changes least', () => {
    const found = [
      piece('edit', 'a.py', '-x\n'),
      piece(undefined, 'b.py', 'y\n'),
      piece('definition', 'c.py', 'z\n'),
    ];
    const budget = new Map([
      ['definition', 50],
      ['similar', 50],
      ['edit', 50],
    ] as const);
    const chosen = chooseSnippets(document, () => found, budget);
    expect(chosen.snippets.map(({ text }) => text)).toEqual(['z\n', 'y\n', '-x\n']);
    const fewer = chooseSnippets(document, () => found, new Map([['edit', 50]]));
    expect(fewer.snippets.map(({ text }) => text)).toEqual(['-x\n']);
    expect(chooseSnippets(document, () => found, new Map()).snippets).toEqual([]);
  });

  it('are one where they are definitions of one file, as far as there is room', () => {
    const found = ['one', 'two', 'three'].map((name, at) =>
      piece('definition', at === 1 ? 'c.py' : 'b.py', `def ${name}(): ...\n`),
    );
    const within = (most: number): readonly string[] =>
      chooseSnippets(document, () => found, new Map([['definition', most]])).snippets.map(({ text }) => text);
    expect(within(100)).toEqual(['def one(): ...\ndef three(): ...\n', 'def two(): ...\n']);
    expect(within(9)).toEqual(['def one(): ...\n']);
    expect(within(1)).toEqual([]);
  });
});

describe('what was copied', () => {
  const texts = (text: string, budget = 100): readonly string[] =>
    clipboardSnippet(text, 'python', budget).map((piece) => piece.text);

  it('is a piece, as much of it as fits', () => {
    expect(texts('a = 1\r\nb = 2\r\n')).toEqual(['a = 1\nb = 2\n']);
    expect(texts('a = 1\nb = 2\nc = 3', 6)).toEqual(['a = 1\nb = 2\n']);
  });

  it.each(['', ' \n ', 'one line that is far too long'.repeat(100)])('is none: %#', (text) => {
    expect(texts(text)).toEqual([]);
  });
});
