import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { jsonLines } from '../../../bench/json_lines';
import { detailsOf, readDetails } from '../../../bench/quality_details';
import type { Completed } from '../../../bench/quality_rows';
import { NO_TIMINGS } from '../../../core/engine/native_types';
import { temporaryFolder } from '../../temporary_folder';

const COMPLETED: Completed = {
  case: { id: 'a', path: 'a.py', prefix: 'x\n  ', suffix: ')\ny', expected: 'b = 1\n  c = 2' },
  text: 'b = 1',
  shown: true,
  reason: 'shown',
  stop: 'end_token',
  confidence: 0.5,
  endProbability: 0,
  timings: NO_TIMINGS,
};

describe('a details file', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  it('says of each place what was proposed, and is read back', async () => {
    const file = join(folder, 'a.jsonl');
    const detail = detailsOf(COMPLETED, 0);
    expect(detail).toMatchObject({
      id: 'a',
      place: 'block',
      temperature: 0,
      text: 'b = 1',
      exact: false,
      line: '  ',
      lineAfter: ')',
    });
    await writeFile(file, jsonLines([detail, detail]));
    expect(await readDetails(file)).toEqual([detail, detail]);
  });

  it('is refused with the line that is none of its own', async () => {
    const file = join(folder, 'b.jsonl');
    await writeFile(file, `${JSON.stringify(detailsOf(COMPLETED, 0))}\n\n{"id": "a"}\n`);
    await expect(readDetails(file)).rejects.toThrow(/^Line 3 of .*b\.jsonl is no place of a quality run/);
    await writeFile(file, 'nothing\n');
    await expect(readDetails(file)).rejects.toThrow(/^Line 1 of/);
  });
});
