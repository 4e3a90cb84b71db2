import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pathLine, selectWindow, type WindowMemory } from '../../core/completion/prompt';
import { estimateTokens } from '../../core/completion/token_estimate';
import { ROOT } from '../../scripts/paths.mjs';

const line = (number: number): string => `value_${number} = compute(${number})\n`;
const lines = (count: number): string => Array.from({ length: count }, (_, index) => line(index)).join('');

describe('the path line', () => {
  it('is a comment in the language, or bare', () => {
    expect(pathLine('python', 'src/app.py')).toBe('# src/app.py\n');
    expect(pathLine('typescript', 'a.ts')).toBe('// a.ts\n');
    expect(pathLine('graphql', 'a.graphql')).toBe('# a.graphql\n');
    expect(pathLine('html', 'a.html')).toBe('<!-- a.html -->\n');
    expect(pathLine('json', 'a.json')).toBe('a.json\n');
    expect(pathLine('python', 'a\nb.py')).toBe('# a b.py\n');
  });

  it('is the one that the embedded model was taught with', () => {
    const text = readFileSync(join(ROOT, 'training', 'tests', 'path_lines.json'), 'utf8');
    const taught = Object.entries(JSON.parse(text) as Readonly<Record<string, string>>);
    expect(taught.map(([language]) => [language, pathLine(language, 'lib/point.x')])).toEqual(taught);
  });
});

describe('the prompt window', () => {
  it('takes the whole text when it fits', () => {
    expect(selectWindow('short', 100).start).toBe(0);
    expect(selectWindow('', 100).start).toBe(0);
  });

  it('starts at a line and stays within the budget', () => {
    const text = lines(200);
    for (const budget of [20, 50, 100, 400]) {
      const { start } = selectWindow(text, budget);
      expect(text[start - 1]).toBe('\n');
      expect(estimateTokens(text, start)).toBeLessThanOrEqual(budget * 0.75);
      expect(estimateTokens(text, start)).toBeGreaterThan(budget * 0.75 - estimateTokens(line(200)) * 2);
    }
  });

  it('keeps its start while typing and then drops a quarter at once', () => {
    let text = lines(100);
    let memory: WindowMemory | undefined;
    let moves = 0;
    let last = -1;
    const typed = lines(40);
    for (const character of typed) {
      text += character;
      const window = selectWindow(text, 200, memory);
      memory = window.memory;
      expect(estimateTokens(text, window.start)).toBeLessThanOrEqual(200);
      if (window.start !== last) moves++;
      last = window.start;
    }
    expect(moves).toBeLessThanOrEqual(2 + Math.ceil(estimateTokens(typed) / 50));
    expect(moves).toBeGreaterThan(2);
  });

  it('finds its start again after an edit above it', () => {
    const text = lines(100);
    const first = selectWindow(text, 200);
    const edited = `# a new first line\n${text}`;
    const second = selectWindow(edited, 200, first.memory);
    expect(edited.slice(second.start)).toBe(text.slice(first.start));
  });

  it('moves up with a cursor that went up', () => {
    const text = lines(100);
    const first = selectWindow(text, 200);
    const above = text.slice(0, first.start + 10);
    const second = selectWindow(above, 200, first.memory);
    expect(estimateTokens(above, second.start)).toBeGreaterThan(100);
  });

  it('cuts within a line that alone is too long, between characters', () => {
    const text = '😀'.repeat(2_000);
    for (const budget of [10, 11, 12, 13]) {
      const { start } = selectWindow(text, budget);
      expect(start % 2).toBe(0);
      expect(start).toBeGreaterThan(3_900);
    }
  });

  it('is quick on text that repeats', () => {
    const text = 'a'.repeat(32_000);
    const memory = { front: 'a'.repeat(256) };
    const { start } = selectWindow(text, 200, memory);
    expect(estimateTokens(text, start)).toBeLessThanOrEqual(200);
  });
});
