/** Suites are read as they were written, and counted. */
import { describe, expect, it } from 'vitest';
import { groupsOf, percentile, runSuite, type SuiteEngine } from '../../cli/grammar_suite';
import { itemSlices, memberSlices } from '../../cli/json_slices';

describe('slices of JSON', () => {
  it('are as they were written', () => {
    expect(itemSlices(' [1.0, {"a": [1,2]} ,"]\\"," , [] ]')).toEqual([
      '1.0',
      '{"a": [1,2]}',
      '"]\\","',
      '[]',
    ]);
    expect(itemSlices('[]')).toEqual([]);
    expect(itemSlices('{}')).toBeUndefined();
    expect(memberSlices('{"2": 1e400, "1" : {"x":"}"}, "2": -0, "a\\"b": ","}')).toEqual(
      new Map([
        ['2', '-0'],
        ['1', '{"x":"}"}'],
        ['a"b', '","'],
      ]),
    );
    expect(memberSlices('{ }')).toEqual(new Map());
    expect(memberSlices('[1]')).toBeUndefined();
  });
});

describe('a suite', () => {
  const test = '{"data": {"b": 1.50, "a": "x"}, "valid": true, "description": "d"}';

  it('is files of one schema, or of groups', () => {
    const tests = [{ name: ': d', data: '{"b": 1.50, "a": "x"}', valid: true }];
    expect(groupsOf('f.json', `{"schema": true, "tests": [${test}]}`)).toEqual([
      { name: 'f.json', schema: 'true', tests },
    ]);
    expect(groupsOf('f.json', `[{"description": "g", "schema": {}, "tests": [${test}]}]`)).toEqual([
      { name: 'f.json: g', schema: '{}', tests },
    ]);
  });

  it.each(['{', '1', '{"schema": {}}', '{"schema": {}, "tests": [{"data": 1}]}', '{"tests": []}'])(
    'is not %s',
    (text) => {
      expect(() => groupsOf('f.json', text)).toThrow(/^f\.json .*files are/);
    },
  );

  it('counts agreement by validity, and refusals apart', async () => {
    const closed: string[] = [];
    const engine: SuiteEngine = {
      compileGrammar: (source) => {
        const schema = 'schema' in source ? source.schema : '';
        if (schema === '"refused"')
          return Promise.resolve({ ok: false, error: { code: 'GRAMMAR_UNSUPPORTED', message: 'No.' } });
        return Promise.resolve({
          ok: true,
          value: {
            compileMs: 2,
            empty: false,
            check: (data) =>
              Promise.resolve(
                data === '"huge"'
                  ? { ok: false, error: { code: 'GRAMMAR_TOO_LARGE', message: 'Too large.' } }
                  : { ok: true, value: data === '1' ? 'accept' : 'reject' },
              ),
            close: () => closed.push(schema),
          },
        });
      },
      maskTimes: () => Promise.resolve({ ok: true, value: new Float64Array([1, 3]) }),
    };
    const tests = (valid: boolean): string =>
      ['1', '2', '"huge"'].map((data) => `{"data": ${data}, "valid": ${valid}}`).join();
    const groups = [
      ...groupsOf('a', `{"schema": {}, "tests": [${tests(true)},${tests(false)}]}`),
      ...groupsOf('b', `{"schema": "refused", "tests": [${tests(true)}]}`),
    ];
    const { notes, ...counts } = await runSuite(engine, groups);
    expect(counts).toEqual({
      files: 2,
      validAccepted: 1,
      validRejected: 2,
      invalidRejected: 2,
      invalidAccepted: 1,
      unsupported: 1,
      compileMs: [2],
      maskUs: [1, 3],
    });
    expect(notes).toEqual([
      'a: rejected',
      'a: rejected (GRAMMAR_TOO_LARGE: Too large.)',
      'a: accepted',
      'b: unsupported: No.',
    ]);
    expect(closed).toEqual(['{}']);
  });

  it('has percentiles by nearest rank', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect([0.5, 0.99, 0.999, 1].map((share) => percentile(values, share))).toEqual([50, 99, 100, 100]);
    expect(percentile([], 0.5)).toBe(0);
  });
});
