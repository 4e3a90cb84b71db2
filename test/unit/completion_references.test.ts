/** Which texts of a document there are beside a prompt. */
import { describe, expect, it } from 'vitest';
import { MAX_AFTER, MAX_BEFORE, snapshotOfText } from '../../core/completion/document';
import { type ReferenceUse, referencesFor } from '../../core/completion/references';

const snapshot = (text: string, offset: number): ReturnType<typeof snapshotOfText> =>
  snapshotOfText({ uri: 'file:///a.py', path: 'a.py', languageId: 'python', text, offset });

const ALL: ReferenceUse = { drafts: true, remembers: true, remembersOthers: true };

const own = (document: ReturnType<typeof snapshot>, windowStart: number): readonly string[] =>
  referencesFor(document, windowStart, [], ALL).references;

describe('the texts beside a prompt', () => {
  it('are what it leaves of the document, but for the rest of the line', () => {
    const document = snapshot('left out\nprompt)\nrest', 'left out\nprompt'.length);
    expect(own(document, 'left out\n'.length)).toEqual(['rest', 'left out\n']);
  });

  it('are none where nothing is left', () => {
    expect(own(snapshot('x = ', 4), 0)).toEqual([]);
  });

  it.each(['\n', '\r\n'])('stay as they are while one types, in a long file with %j, too', (lineBreak) => {
    const block = `value = compute(value)${lineBreak}`.repeat(20) + lineBreak;
    const long = block.repeat(Math.ceil((2 * MAX_BEFORE) / block.length));
    const windowStart = (text: string): number => Math.min(text.length, MAX_BEFORE) - 1_000;
    const texts = [0, 1, 2, 3].map((typed) => {
      const text = `${long}${'x'.repeat(typed)}${')'.repeat(typed)}${lineBreak}below${lineBreak}${long}`;
      const document = snapshot(text, long.length + typed);
      // The window's start stays where it is in the file.
      return own(document, windowStart(text) - typed);
    });
    expect(texts[0]?.[0]).toMatch(/^below\nvalue[^]*\n$/);
    expect(texts[0]?.[0]?.length).toBeGreaterThan(MAX_AFTER - 1_000);
    expect(texts[0]?.[1]?.startsWith('value')).toBe(true);
    for (const later of texts.slice(1)) expect(later).toEqual(texts[0]);
  });

  const others = [
    { text: 'prose\n', languageId: 'markdown' },
    { text: '', languageId: 'python' },
    { text: 'code\n', languageId: 'python' },
  ];
  it.each<[string, Partial<ReferenceUse>, readonly string[], number, number]>([
    ['all, those first that have a say', {}, ['rest', 'code\n', 'prose\n'], 1, 1],
    ['where other files have none', { remembersOthers: false }, ['rest', 'prose\n', 'code\n'], 1, 0],
    ['where drafts are off', { drafts: false }, ['rest', 'code\n'], 1, 1],
    [
      'where nothing has a say',
      { remembers: false, remembersOthers: false },
      ['rest', 'prose\n', 'code\n'],
      0,
      0,
    ],
    ['where nothing is used', { drafts: false, remembers: false, remembersOthers: false }, [], 0, 0],
  ])('are %s', (_, use, references, remembered, rememberedBeside) => {
    const document = snapshot('prompt)\nrest', 'prompt'.length);
    expect(referencesFor(document, 0, others, { ...ALL, ...use })).toEqual({
      references,
      remembered,
      rememberedBeside,
    });
  });
});
