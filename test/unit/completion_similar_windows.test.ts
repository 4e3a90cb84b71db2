/** Pieces of other files that resemble the text around a cursor. */
import { describe, expect, it } from 'vitest';
import { mostSimilar, readAlike, windowsOf } from '../../core/completion/similar_windows';

const file = (path: string, text: string): Parameters<typeof windowsOf>[0] => ({
  path,
  languageId: 'python',
  text,
});
const PRICES = 'def total_price(order, discount):\n    return order.price - discount\n';
const FILES = 'def read_file(folder, name):\n    return open(join(folder, name)).read()\n';
const AROUND = { before: 'order = Order()\nprice = total_price(', after: ')\nprint(discount)\n' };

describe('windows', () => {
  it('are the lines of a file, twenty at a time, without blank ones at the ends', () => {
    const lines = Array.from({ length: 45 }, (_, index) => `first${index} = second + third + fourth`);
    const windows = windowsOf(file('a.py', `\n${lines.join('\n')}\n`));
    expect(windows.map(({ text }) => text.split('\n').length - 1)).toEqual([19, 20, 6]);
    expect(windows[0]?.text).toMatch(/^first0 .*fourth\n$/s);
  });

  it('are left out where they name little', () => {
    expect(windowsOf(file('a.py', 'a = 1\nbb = 2\n'))).toEqual([]);
  });
});

describe('the most similar windows', () => {
  const windows = [...windowsOf(file('files.py', FILES)), ...windowsOf(file('prices.py', PRICES))];

  it('share the most names with the text around the cursor', () => {
    expect(mostSimilar(windows, AROUND, 9).map(({ path }) => path)).toEqual(['prices.py']);
    const reading = { before: 'price = read_file(folder, name)', after: '' };
    expect(mostSimilar(windows, reading, 9).map(({ path }) => path)).toEqual(['files.py', 'prices.py']);
    expect(mostSimilar(windows, reading, 1)).toHaveLength(1);
  });

  it('are no copies of it', () => {
    const found = mostSimilar(windows, { before: PRICES, after: '' }, 9);
    expect(found.map(({ path }) => path)).not.toContain('prices.py');
  });

  it('go by what is near the cursor', () => {
    const far = `total_price(order, discount)\n${'x = 1\n'.repeat(30)}`;
    expect(mostSimilar(windows, { before: far, after: '' }, 9)).toEqual([]);
    expect(mostSimilar(windows, { before: '', after: `\n${far}` }, 9)).toHaveLength(1);
  });
});

it('dialects of a language are read alike', () => {
  expect(readAlike('typescriptreact', 'javascript')).toBe(true);
  expect(readAlike('cpp', 'c')).toBe(true);
  expect(readAlike('python', 'python')).toBe(true);
  expect(readAlike('python', 'markdown')).toBe(false);
});
