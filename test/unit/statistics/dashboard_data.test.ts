import { expect, it } from 'vitest';
import { type DashboardData, isDashboardData } from '../../../core/statistics/dashboard_data';

const DATA: DashboardData = {
  version: '0.1.0',
  takenAt: '2026-03-01T10:00:00.000Z',
  model: undefined,
  memory: { weights: 85e6, kvNow: 1e6, kvMost: 1e8 },
  requests: [],
  keyToGhost: { bounds: [1, 2], counts: [0, 1, 2] },
  drafts: { drafted: 4, accepted: 2, savedMs: -1.5 },
  usage: { since: '2026-03-01T10:00:00.000Z', languages: [] },
  machine: undefined,
  threadDelay: undefined,
};

it('is what it should be, also once it was a message', () => {
  expect(isDashboardData(DATA)).toBe(true);
  expect(isDashboardData(JSON.parse(JSON.stringify(DATA)))).toBe(true);
});

it.each<[string, object]>([
  ['a field too many', { text: 'def f' }],
  ['a text in place of a number', { memory: { weights: '85', kvNow: 0, kvMost: 0 } }],
  ['a request of another kind', { requests: [{ sequence: 1 }] }],
  ['a number that is none', { drafts: { drafted: 1, accepted: 1, savedMs: NaN } }],
  ['a histogram without end', { keyToGhost: { bounds: [], counts: new Array(100).fill(0) } }],
  ['no version', { version: undefined }],
  ['a date that is none', { usage: { since: 'now', languages: [] } }],
])('is refused with %s', (_, change) => {
  expect(isDashboardData({ ...DATA, ...change })).toBe(false);
});

it.each([undefined, null, 1, 'text', [], {}])('is not %j', (value) => {
  expect(isDashboardData(value)).toBe(false);
});
