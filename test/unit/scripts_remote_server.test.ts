import { expect, it } from 'vitest';
import { summaryOf } from '../../scripts/test/remote_server.mjs';

it('figures of one name are told by their median and their 95th percentile, in the order in which they came', () => {
  const lines = [
    ...Array.from({ length: 20 }, (_, index) => ({ name: 'a', ms: 20 - index })),
    { name: 'b', ms: 1.25 },
  ].map((one) => JSON.stringify(one));
  expect(summaryOf(lines)).toEqual(['a: median 10.0 ms, p95 19.0 ms of 20', 'b: 1.3 ms']);
  expect(summaryOf([])).toEqual([]);
});
