import { describe, expect, it } from 'vitest';
import { CompletionCache } from '../../core/completion/cache';
import type { Stop } from '../../core/completion/stop';

const generation = {
  text: 'a + b',
  stop: 'line_end' as Stop,
  confidence: 0.5,
  ids: Uint32Array.of(7),
  probabilities: Float32Array.of(0.5),
  course: { probabilities: Float32Array.of(0.5), ends: Uint32Array.of(5) },
  followsSchema: false,
  readsLine: false,
  endProbability: 0,
};
const BEFORE = 'def add(a, b):\n    return ';

function filled(): CompletionCache {
  const cache = new CompletionCache();
  cache.add('file:///a.py', BEFORE, '', generation);
  return cache;
}

describe('the completion cache', () => {
  it('returns the rest while the suggestion is typed, and again when it is deleted', () => {
    const cache = filled();
    for (const typed of ['', 'a', 'a ', 'a +', 'a + b', 'a +', 'a', '']) {
      expect(cache.find('file:///a.py', BEFORE + typed, '')?.rest).toBe('a + b'.slice(typed.length));
    }
  });

  it('misses what goes another way', () => {
    const cache = filled();
    expect(cache.find('file:///a.py', `${BEFORE}x`, '')).toBeUndefined();
    expect(cache.find('file:///a.py', `${BEFORE}a + b + c`, '')).toBeUndefined();
    expect(cache.find('file:///b.py', BEFORE, '')).toBeUndefined();
    expect(cache.find('file:///a.py', `# other\n${BEFORE}`, '')).toBeUndefined();
    expect(cache.find('file:///a.py', BEFORE, 'x')).toBeUndefined();
    expect(cache.find('file:///a.py', BEFORE, '\nx')).toBeUndefined();
  });

  it('holds while the editor closes brackets', () => {
    const cache = new CompletionCache();
    cache.add('u', 'print', '', { ...generation, text: '("hi")' });
    expect(cache.find('u', 'print(', ')')?.rest).toBe('"hi")');
    expect(cache.find('u', 'print("', '")')?.rest).toBe('hi")');
    expect(cache.find('u', 'print("', 'x)')).toBeUndefined();
  });

  it('holds while what the editor closed is typed over', () => {
    const cache = new CompletionCache();
    cache.add('u', 'print(', ')', { ...generation, text: '"hi", x);' });
    expect(cache.find('u', 'print("', '")')?.rest).toBe('hi", x);');
    expect(cache.find('u', 'print("hi", x)', '')?.rest).toBe(';');
    expect(cache.find('u', 'print("hi", y)', '')).toBeUndefined();
    cache.add('u', 'a[', 'b]', { ...generation, text: '0]' });
    expect(cache.find('u', 'a[', ']')).toBeUndefined();
  });

  it('asks again where the model was cut short', () => {
    const cache = new CompletionCache();
    cache.add('u', BEFORE, '', { ...generation, stop: 'max_tokens' });
    expect(cache.find('u', `${BEFORE}a + b`, '')).toBeUndefined();
    expect(cache.find('u', `${BEFORE}a`, '')?.rest).toBe(' + b');
  });

  it('keeps the newest generation of a place', () => {
    const cache = filled();
    cache.add('file:///a.py', BEFORE, '', { ...generation, text: 'b + a' });
    expect(cache.size).toBe(1);
    expect(cache.find('file:///a.py', BEFORE, '')?.rest).toBe('b + a');
  });

  it('drops the least recently used, and what is forgotten', () => {
    const cache = new CompletionCache(2);
    cache.add('a', 'x', '', generation);
    cache.add('b', 'x', '', generation);
    cache.find('a', 'x', '');
    cache.add('c', 'x', '', generation);
    expect(cache.find('b', 'x', '')).toBeUndefined();
    expect(cache.find('a', 'x', '')).toBeDefined();
    cache.forget('a');
    expect(cache.find('a', 'x', '')).toBeUndefined();
    expect(cache.size).toBe(1);
  });
});
