/** What was taken out again is not offered again. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Replacement } from '../../core/completion/document';
import { TakenBack } from '../../core/completion/taken_back';

const BEFORE = 'x = 1\nreturn ';
const OFFER = { uri: 'u', offset: BEFORE.length, before: BEFORE, text: 'a + b' };
const END = BEFORE.length + OFFER.text.length;

describe('a suggestion that was accepted', () => {
  let taken: TakenBack;
  beforeEach(() => {
    taken = new TakenBack();
    taken.offered(OFFER);
    change({ text: OFFER.text });
  });

  function change({ offset = OFFER.offset, length = 0, text = '' }: Partial<Replacement>): void {
    taken.changed('u', { offset, length, text });
  }
  const has = (text = OFFER.text, before = BEFORE): boolean => taken.has('u', before, text);

  it('is taken back by undo', () => {
    expect(has()).toBe(false);
    change({ length: OFFER.text.length });
    expect(has()).toBe(true);
    expect(has('other')).toBe(false);
    expect(has(OFFER.text, 'y = 1\nreturn ')).toBe(false);
    expect(taken.has('v', BEFORE, OFFER.text)).toBe(false);
  });

  it('is taken back unit by unit, with what was typed behind it', () => {
    change({ offset: END, text: ';' });
    change({ offset: END - 1, length: 2 });
    for (let end = END - 1; end > OFFER.offset + 1; end--) change({ offset: end - 1, length: 1 });
    expect(has()).toBe(false);
    change({ offset: OFFER.offset, length: 1 });
    expect(has()).toBe(true);
  });

  it('is kept by who edits within it or before it', () => {
    change({ offset: OFFER.offset + 1, text: 'z' });
    change({ length: OFFER.text.length + 1 });
    expect(has()).toBe(false);
    taken.offered(OFFER);
    change({ text: OFFER.text });
    change({ offset: 0, text: '# a\n' });
    change({ length: OFFER.text.length });
    expect(has()).toBe(false);
  });

  it('is offered again where its document was closed in between', () => {
    change({ length: OFFER.text.length });
    taken.forget('u');
    expect(has()).toBe(false);
  });
});

describe('a suggestion that was not accepted', () => {
  it.each([
    ['typed along and deleted', [{ offset: OFFER.offset, length: 0, text: 'a' }]],
    ['passed over', [{ offset: OFFER.offset, length: 0, text: 'other' }]],
    ['written elsewhere', [{ offset: 0, length: 0, text: OFFER.text }]],
  ])('is offered again: %s', (_, changes) => {
    const taken = new TakenBack();
    taken.offered(OFFER);
    for (const one of changes) taken.changed('u', one);
    taken.changed('u', { offset: OFFER.offset, length: 1, text: '' });
    taken.changed('u', { offset: OFFER.offset, length: 5, text: '' });
    expect(taken.has('u', BEFORE, OFFER.text)).toBe(false);
  });

  it.each(['\n    ', '()', '\n * ', '\n\t// ', '\n/// ', '\n# ', '\n- '])(
    'is offered again where one key wrote of it %j, which is taken back',
    (inserted) => {
      const taken = new TakenBack();
      const text = `${inserted}return x`;
      taken.offered({ ...OFFER, text });
      taken.changed('u', { offset: OFFER.offset, length: 0, text: inserted });
      taken.changed('u', { offset: OFFER.offset, length: inserted.length, text: '' });
      expect(taken.has('u', BEFORE, text)).toBe(false);
    },
  );

  it('is remembered of the last few places alone', () => {
    const taken = new TakenBack();
    for (let at = 0; at < 40; at++) {
      taken.offered({ ...OFFER, before: `${at}${BEFORE}` });
      taken.changed('u', { offset: OFFER.offset, length: 0, text: OFFER.text });
      taken.changed('u', { offset: OFFER.offset, length: OFFER.text.length, text: '' });
    }
    expect(taken.has('u', `0${BEFORE}`, OFFER.text)).toBe(false);
    expect(taken.has('u', `39${BEFORE}`, OFFER.text)).toBe(true);
  });
});

describe('a suggestion that took the place of code', () => {
  it('is taken back by an undo, which brings that back', () => {
    const taken = new TakenBack();
    taken.offered({ ...OFFER, text: 'x * 2', replaced: 'x' });
    taken.changed('u', { offset: OFFER.offset, length: 1, text: 'x * 2' });
    taken.changed('u', { offset: OFFER.offset, length: 5, text: 'x' });
    expect(taken.has('u', BEFORE, 'x * 2')).toBe(true);
  });
});

describe('a suggestion that was dismissed', () => {
  it('is not offered again, nor a part of it, nor more', () => {
    const taken = new TakenBack();
    taken.dismissed();
    taken.offered(OFFER);
    taken.dismissed();
    for (const text of ['a + b', 'a', 'a + b\n    c']) expect(taken.has('u', BEFORE, text), text).toBe(true);
    expect(taken.has('u', BEFORE, 'b')).toBe(false);
    expect(taken.has('u', `${BEFORE}a`, ' + b')).toBe(false);
  });

  it('is another one once the document has changed', () => {
    const taken = new TakenBack();
    taken.offered(OFFER);
    taken.changed('u', { offset: OFFER.offset, length: 0, text: 'x' });
    taken.dismissed();
    expect(taken.has('u', BEFORE, OFFER.text)).toBe(false);
  });
});

describe('text that was deleted', () => {
  let taken: TakenBack;
  let text = '';
  beforeEach(() => {
    taken = new TakenBack();
    text = `# one\n${BEFORE}total + tax\n`;
    taken.look({ uri: 'u', start: 6, text: text.slice(6) });
  });

  function replace(offset: number, removed: number, inserted = ''): void {
    text = text.slice(0, offset) + inserted + text.slice(offset + removed);
    taken.changed('u', { offset, length: removed, text: inserted });
    taken.asked({
      uri: 'u',
      offset: offset + inserted.length,
      before: text.slice(0, offset + inserted.length),
    });
  }
  const at = text.length + 6 + BEFORE.length;
  const has = (said: string, before = `# one\n${BEFORE}`): boolean => taken.has('u', before, said);

  it('is not offered again where it stood, nor what begins like it', () => {
    replace(at, 'total + tax'.length);
    for (const said of ['total + tax', 'total', 'total + tax * 2']) expect(has(said), said).toBe(true);
    expect(has('sum(prices)')).toBe(false);
    expect(has('total + tax', 'return ')).toBe(false);
  });

  it('is all that was deleted key by key, backwards or forwards', () => {
    for (let end = at + 'total + tax'.length; end > at; end--) replace(end - 1, 1);
    expect(has('total + tax')).toBe(true);
    // On the way there something else may have been in the way.
    expect(has('tax', `# one\n${BEFORE}total + `)).toBe(false);
    replace(at, 0, 'price');
    for (let left = 'price'.length; left > 0; left--) {
      replace(at + 5, 0, ' ');
      replace(at + 5, 1);
    }
    for (let left = 'price'.length; left > 0; left--) replace(at, 1);
    expect(has('price')).toBe(true);
    expect(has('total')).toBe(true);
  });

  it('is no slip of one or two keys', () => {
    replace(at + 3, 2);
    expect(has('al', `# one\n${BEFORE}tot`)).toBe(false);
  });

  it('is found again behind changes in front of it, and not known where nobody looked', () => {
    replace(0, 0, '## ');
    replace(at + 3, 'total + tax'.length);
    expect(has('total', `## # one\n${BEFORE}`)).toBe(true);
    replace(0, 5);
    expect(has('## # ', '')).toBe(false);
  });
});
