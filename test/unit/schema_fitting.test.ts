import { describe, expect, it } from 'vitest';
import { withFittingComma, withoutOpenString } from '../../core/schema/fitting';

/** The suggestion between what stands left and right of the `|`. */
function fitted(text: string, suggestion: string): string {
  const offset = text.indexOf('|');
  return withFittingComma(text.slice(0, offset), suggestion, text.slice(offset + 1));
}

describe('the comma behind a suggestion', () => {
  it('is added where another member or item follows', () => {
    expect(fitted('{\n  "a": |\n  "b": 1\n}', '"x"')).toBe('"x",');
    expect(fitted('{\n  "a": |\n\n  // next\n  "b": 1\n}', 'tr' + 'ue')).toBe('true,');
    expect(fitted('[\n  |\n  2\n]', '1')).toBe('1,');
    expect(fitted('{\n  "a": "|"\n  "b": 1\n}', 'x"')).toBe('x",');
    expect(fitted('{\n  |\n  "b": 1\n}', '"a": { "c": [] }')).toBe('"a": { "c": [] },');
  });

  it('is left out before the end', () => {
    expect(fitted('{\n  "a": |\n}', '"x",')).toBe('"x"');
    expect(fitted('[\n  |\n]', '1,')).toBe('1');
    expect(fitted('{"a":|}', '1,')).toBe('1');
    expect(fitted('{\n  "a": "|"\n}', 'x",')).toBe('x"');
  });

  it('stays as it is elsewhere', () => {
    expect(fitted('{\n  "a": |\n}', '"x"')).toBe('"x"');
    expect(fitted('{\n  "a": |\n  "b": 1\n}', '"x",')).toBe('"x",');
    expect(fitted('{\n  "a": |\n  "b": 1\n}', '{')).toBe('{');
    expect(fitted('{\n  |\n  "b": 1\n}', '"a"')).toBe('"a"');
    expect(fitted('{\n  "a": "|"\n  "b": 1\n}', 'x')).toBe('x');
    expect(fitted('{\n  "a": "one|\n}', ', two,')).toBe(', two,');
    expect(fitted('|\n', '1')).toBe('1');
    expect(fitted('{\n  |\n  "b": 1\n}', '')).toBe('');
  });
});

describe('a suggestion that was cut', () => {
  it('has no string that it begins and does not end', () => {
    expect(withoutOpenString('{\n  "', 'description": "one two one')).toBe('description":');
    expect(withoutOpenString('{\n  ', '"keywords": ["a", "b')).toBe('"keywords": ["a",');
    expect(withoutOpenString('{\n  ', '"a": 1, "b')).toBe('"a": 1,');
  });

  it('stays as it is where that is all of it, or it is one that is there', () => {
    expect(withoutOpenString('{\n  "a": ', '"one two')).toBe('"one two');
    expect(withoutOpenString('{\n  "a": "one', ' two')).toBe(' two');
    expect(withoutOpenString('{\n  "a": ', '12')).toBe('12');
    expect(withoutOpenString('{\n  ', '"a": "b"')).toBe('"a": "b"');
  });
});
