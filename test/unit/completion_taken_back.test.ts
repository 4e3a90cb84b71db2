/** What was taken out again is not offered again. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type Change, TakenBack } from '../../core/completion/taken_back';

const BEFORE = 'x = 1\nreturn ';
const OFFER = { uri: 'u', offset: BEFORE.length, before: BEFORE, text: 'a + b' };
const END = BEFORE.length + OFFER.text.length;

describe('a suggestion that was accepted', () => {
  let taken: TakenBack;
  beforeEach(() => {
    taken = new TakenBack();
    taken.offered(OFFER);
    change({ inserted: OFFER.text });
  });

  function change({ offset = OFFER.offset, removed = 0, inserted = '' }: Partial<Change>): void {
    taken.changed('u', { offset, removed, inserted });
  }
  const has = (text = OFFER.text, before = BEFORE): boolean => taken.has('u', before, text);

  it('is taken back by undo', () => {
    expect(has()).toBe(false);
    change({ removed: OFFER.text.length });
    expect(has()).toBe(true);
    expect(has('other')).toBe(false);
    expect(has(OFFER.text, 'y = 1\nreturn ')).toBe(false);
    expect(taken.has('v', BEFORE, OFFER.text)).toBe(false);
  });

  it('is taken back unit by unit, with what was typed behind it', () => {
    change({ offset: END, inserted: ';' });
    change({ offset: END - 1, removed: 2 });
    for (let end = END - 1; end > OFFER.offset + 1; end--) change({ offset: end - 1, removed: 1 });
    expect(has()).toBe(false);
    change({ offset: OFFER.offset, removed: 1 });
    expect(has()).toBe(true);
  });

  it('is kept by who edits within it or before it', () => {
    change({ offset: OFFER.offset + 1, inserted: 'z' });
    change({ removed: OFFER.text.length + 1 });
    expect(has()).toBe(false);
    taken.offered(OFFER);
    change({ inserted: OFFER.text });
    change({ offset: 0, inserted: '# a\n' });
    change({ removed: OFFER.text.length });
    expect(has()).toBe(false);
  });

  it('is offered again where its document was closed in between', () => {
    change({ removed: OFFER.text.length });
    taken.forget('u');
    expect(has()).toBe(false);
  });
});

describe('a suggestion that was not accepted', () => {
  it.each([
    ['typed along and deleted', [{ offset: OFFER.offset, removed: 0, inserted: 'a' }]],
    ['passed over', [{ offset: OFFER.offset, removed: 0, inserted: 'other' }]],
    ['written elsewhere', [{ offset: 0, removed: 0, inserted: OFFER.text }]],
  ])('is offered again: %s', (_, changes) => {
    const taken = new TakenBack();
    taken.offered(OFFER);
    for (const one of changes) taken.changed('u', one);
    taken.changed('u', { offset: OFFER.offset, removed: 1, inserted: '' });
    taken.changed('u', { offset: OFFER.offset, removed: 5, inserted: '' });
    expect(taken.has('u', BEFORE, OFFER.text)).toBe(false);
  });

  it('is remembered of the last few places alone', () => {
    const taken = new TakenBack();
    for (let at = 0; at < 40; at++) {
      taken.offered({ ...OFFER, before: `${at}${BEFORE}` });
      taken.changed('u', { offset: OFFER.offset, removed: 0, inserted: OFFER.text });
      taken.changed('u', { offset: OFFER.offset, removed: OFFER.text.length, inserted: '' });
    }
    expect(taken.has('u', `0${BEFORE}`, OFFER.text)).toBe(false);
    expect(taken.has('u', `39${BEFORE}`, OFFER.text)).toBe(true);
  });
});
