import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCases } from '../../cli/case_file';
import { readText } from '../../cli/files';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-cases-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(content: string): string {
  const path = join(folder, 'cases.jsonl');
  writeFileSync(path, content);
  return path;
}

const GOOD = { id: '1', path: 'a.py', prefix: 'x = ', suffix: '\n' };

describe('case files', () => {
  it('has a case a line, with edits and snippets or without, and passes over blank lines', async () => {
    const edited = { ...GOOD, id: '2', edits: [{ path: 'b.py', before: '', after: 'y' }] };
    const beside = { ...GOOD, id: '3', snippets: [{ path: 'b.py', text: 'y' }] };
    const lines = [GOOD, edited, beside].map((one) => JSON.stringify(one));
    expect(await readCases(write(lines.join('\r\n\n')))).toEqual([GOOD, edited, beside]);
    expect(await readCases(write(''))).toEqual([]);
  });

  it.each([
    ['{', 'Line 2 of .* is not JSON'],
    ['[]', 'Line 2 of .* is no case'],
    [JSON.stringify({ ...GOOD, prefix: 1 }), '/prefix must be string'],
    [JSON.stringify({ ...GOOD, suffix: undefined }), "must have required property 'suffix'"],
    [JSON.stringify({ ...GOOD, edits: [{}] }), '/edits/0'],
    [JSON.stringify({ ...GOOD, snippets: [{ path: 'b.py' }] }), '/snippets/0'],
  ])('names the line at fault: %s', async (line, message) => {
    const failure = readCases(write(`${JSON.stringify(GOOD)}\n${line}\n`));
    await expect(failure).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(message) as string,
    });
  });

  it('says why a file cannot be read', async () => {
    await expect(readText(join(folder, 'none'))).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(readText(folder)).rejects.toMatchObject({ code: 'FILE_NOT_REGULAR' });
  });

  it('leaves out a byte order mark, as editors do', async () => {
    expect(await readText(write('\uFEFFx'))).toBe('x');
  });
});
