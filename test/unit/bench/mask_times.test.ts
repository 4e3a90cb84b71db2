import { describe, expect, it } from 'vitest';
import { boundRows, maskRows, peerRows, readTimes } from '../../../bench/grammar/mask_times';

const OURS = [
  '{"schema":0,"compileMs":2}',
  '{"schema":0,"instance":0,"maskUs":[1,3],"stepUs":[1,1],"bytes":2097152}',
  '{"schema":0,"instance":1,"maskUs":[40],"stepUs":[1],"bytes":1048576}',
  '{"schema":0,"instance":2,"rejected":true}',
  '{"schema":1,"refused":"/format: why"}',
  '{"schema":2,"compileMs":8}',
  '',
].join('\n');

const PEER = [
  '{"schema":0,"compileMs":6}',
  '{"schema":0,"instance":0,"maskUs":[2,9],"stepUs":[4,8]}',
  '{"schema":0,"instance":1,"rejected":true}',
  '{"schema":1,"compileMs":100}',
  '{"schema":1,"instance":0,"maskUs":[500],"stepUs":[1]}',
  '{"schema":2,"refused":"no"}',
].join('\n');

const figures = (rows: ReturnType<typeof maskRows>): [string, number, number | null][] =>
  rows.map(({ name, ours, floor }) => [name, ours, floor]);

describe('the times along documents', () => {
  it('make rows of all tokens and all schemas, beside what is promised', () => {
    expect(figures(maskRows(readTimes(OURS), 49_152))).toEqual([
      ['grammar/mask-p50-us', 3, 10],
      ['grammar/mask-p99-us', 40, 300],
      ['grammar/mask-p999-us', 40, 1_000],
      ['grammar/token-mean-us', 44 / 3 + 1, null],
      ['grammar/compile-p50-ms', 2, 1],
      ['grammar/compile-p99-ms', 8, 20],
      ['grammar/memory-mb', 2, 64],
      ['grammar/tokens', 3, null],
      ['grammar/documents', 2, null],
      ['grammar/documents-rejected', 1, 0],
      ['grammar/schemas', 2, null],
      ['grammar/schemas-refused', 1, null],
    ]);
  });

  it('name any other vocabulary', () => {
    const names = maskRows(readTimes(OURS), 151_936).map(({ name }) => name);
    expect(names).toContain('grammar/mask-p50-us-151936');
    expect(names.every((name) => name.endsWith('-151936'))).toBe(true);
  });

  it('have no rows where nothing was followed', () => {
    expect(maskRows(readTimes('{"schema":0,"refused":"why"}\n'), 49_152)).toEqual([]);
  });
});

describe('the rows beside another engine', () => {
  it('are of the documents and schemas that both take', () => {
    const rows = peerRows(readTimes(OURS), readTimes(PEER), 'other', 151_936);
    expect(rows.map(({ name, ours, peer, ratio }) => [name, ours, peer, ratio])).toEqual([
      ['grammar/documents-other-151936', 2, 2, 1],
      ['grammar/mask-p50-us-other-151936', 1, 2, 2],
      ['grammar/mask-p99-us-other-151936', 3, 9, 3],
      ['grammar/mask-p999-us-other-151936', 3, 9, 3],
      ['grammar/token-mean-us-other-151936', 3, 11.5, 11.5 / 3],
      ['grammar/compile-p50-ms-other-151936', 2, 6, 3],
      ['grammar/compile-p99-ms-other-151936', 2, 6, 3],
    ]);
  });

  it('are ours over all where it is not there', () => {
    const rows = peerRows(readTimes(OURS), undefined, 'other', 49_152);
    expect(rows.every(({ peer, ratio }) => peer === null && ratio === null)).toBe(true);
    expect(rows.map(({ name, ours }) => [name, ours])).toContainEqual(['grammar/mask-p99-us-other', 40]);
  });

  it('count documents alone where none is taken by both', () => {
    const none = readTimes('{"schema":0,"refused":"no"}\n');
    expect(peerRows(readTimes(OURS), none, 'other', 49_152)).toEqual([
      { name: 'grammar/documents-other', unit: 'documents', ours: 2, peer: 0, ratio: null, floor: null },
    ]);
  });
});

describe('the rows of bounds', () => {
  it('say how many times longer a token takes, and how long', () => {
    const output = '{"name":"maxitems","withUs":3,"withoutUs":2}\n';
    expect(boundRows(output, 49_152)).toEqual([
      { name: 'grammar/bound-maxitems-ratio', unit: 'times', ours: 1.5, peer: null, ratio: null, floor: 2 },
      { name: 'grammar/bound-maxitems-token-us', unit: 'us', ours: 3, peer: null, ratio: null, floor: null },
    ]);
  });
});
