/** The table of languages that a details file comes to. */
import { describe, expect, it } from 'vitest';
import { languageTable } from '../../../bench/language_table';
import type { Detail } from '../../../bench/quality_details';

const line = (path: string, expected: string, text: string, more: Partial<Detail> = {}): Detail => ({
  id: path,
  path,
  place: 'mid',
  temperature: 0.2,
  expected,
  text,
  line: '',
  lineAfter: '',
  reason: 'shown',
  exact: expected === text,
  ...more,
});

describe('the table of languages', () => {
  it('has a row for each that occurs and one for all, of lines that were drawn', () => {
    const table = languageTable([
      line('a.ts', 'b(c)', 'b(c)'),
      line('a.ts', 'b(c)', 'b(d)', { reason: 'low_confidence' }),
      line('a.js', 'b(c)', 'd', { place: 'start' }),
      line('a.yml', 'b', 'b', { place: 'start' }),
      line('a.json', 'b', 'c', { place: 'start', reason: 'low_confidence' }),
      line('a.ts', 'b(c)', 'b(c)', { temperature: 0 }),
      line('a.ts', 'b\nc', 'b\nc', { place: 'block' }),
    ]);
    expect(table.slice(2)).toEqual([
      '| JavaScript | 0 | - | - | 1 | 0.0 | 0.0 | 100.0 | 0.0 |',
      '| TypeScript | 2 | 50.0 | 100.0 | 0 | - | - | 50.0 | 100.0 |',
      '| JSON and YAML | 0 | - | - | 2 | 50.0 | 50.0 | 50.0 | 100.0 |',
      '| all | 2 | 50.0 | 100.0 | 3 | 33.3 | 33.3 | 60.0 | 66.7 |',
    ]);
  });
});
