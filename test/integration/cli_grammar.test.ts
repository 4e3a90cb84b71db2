/** Grammars in the terminal: verdicts, suites, and texts that follow one. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, runProgram } from './cli_program';
import { DEVICE } from './embedded_model';

const COORDINATE = { type: 'integer', minimum: -999, maximum: 999 };
const POINT = {
  type: 'object',
  properties: { x: COORDINATE, y: COORDINATE },
  required: ['x', 'y'],
  additionalProperties: false,
};

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-cli-grammar-'));
  const files: Record<string, unknown> = {
    'point.json': POINT,
    'empty.json': { type: 'string', minLength: 2, maxLength: 1 },
    'refused.json': { type: 'string', pattern: '(a)\\1' },
    'good.json': { y: 2, x: 1 },
    'bad.json': { x: 1 },
  };
  for (const [name, value] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(value));
  writeFileSync(join(folder, 'broken.json'), '{');
  writeFileSync(join(folder, 'word.gbnf'), 'root ::= "yes" | "no"\n');
  writeFileSync(join(folder, 'wrong.gbnf'), 'root ::= "yes\n');
  writeFileSync(join(folder, 'yes.txt'), 'yes');
  writeFileSync(join(folder, 'start.txt'), 'Is the sky blue? Answer: ');
});
afterAll(() => rmSync(folder, { recursive: true }));

const emberline = (...args: string[]): Promise<Ended> => runProgram(folder, args);

describe('grammar check', () => {
  const check = (schema: string, instance: string): Promise<Ended> =>
    emberline('grammar', 'check', '--schema', schema, '--instance', instance);

  it('prints a verdict', async () => {
    expect(await check('point.json', 'good.json')).toEqual({ status: 0, stdout: 'accept\n', stderr: '' });
    expect(await check('point.json', 'bad.json')).toEqual({ status: 0, stdout: 'reject\n', stderr: '' });
    const refused = await check('refused.json', 'good.json');
    expect(refused).toMatchObject({ status: 0, stderr: '' });
    expect(refused.stdout).toMatch(/^unsupported: .*\/pattern.*\n$/);
    expect(
      (await emberline('grammar', 'check', '--grammar', 'word.gbnf', '--instance', 'yes.txt')).stdout,
    ).toBe('accept\n');
  });

  it('says when nothing conforms', async () => {
    expect(await check('empty.json', 'good.json')).toEqual({
      status: 0,
      stdout: 'reject\n',
      stderr: expect.stringMatching(/^Nothing at all conforms .*\n$/) as string,
    });
  });

  it('says what is wrong', async () => {
    expect(await check('broken.json', 'good.json')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^GRAMMAR_INVALID: .*\n$/) as string,
    });
    expect((await check('point.json', 'broken.json')).stderr).toMatch(/^INVALID_ARGUMENT: /);
    expect((await check('point.json', 'none.json')).stderr).toMatch(/^FILE_NOT_FOUND: /);
    const wrong = await emberline('grammar', 'check', '--grammar', 'wrong.gbnf', '--instance', 'yes.txt');
    expect(wrong.stderr).toMatch(/^GRAMMAR_INVALID: .*line 1, column 10/);
    for (const args of [
      ['--instance', 'good.json'],
      ['--schema', 'point.json'],
      ['--schema', 'point.json', '--grammar', 'word.gbnf', '--instance', 'good.json'],
    ])
      expect((await emberline('grammar', 'check', ...args)).status).toBe(2);
  });
});

describe('grammar suite', () => {
  beforeAll(() => {
    mkdirSync(join(folder, 'suite', 'more'), { recursive: true });
    const one = {
      schema: POINT,
      tests: [
        { valid: true, data: { x: 1, y: 2 } },
        { valid: false, data: {} },
      ],
    };
    writeFileSync(join(folder, 'suite', 'one.json'), JSON.stringify(one));
    writeFileSync(
      join(folder, 'suite', 'more', 'groups.json'),
      `[{"description": "numbers", "schema": {"const": 12345678901234567890},
         "tests": [{"description": "the very one", "data": 12345678901234567890, "valid": true},
                   {"description": "its neighbour", "data": 12345678901234567891, "valid": false},
                   {"description": "a wrong test", "data": 1, "valid": true}]},
        {"description": "refused", "schema": {"pattern": "(a)\\\\1"}, "tests": []}]`,
    );
  });

  it('counts', async () => {
    const { status, stdout, stderr } = await emberline(
      'grammar',
      'suite',
      'suite',
      '--json',
      '--device',
      DEVICE,
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const counts = JSON.parse(stdout) as Record<string, Record<string, number>>;
    expect(counts).toMatchObject({
      files: 3,
      valid_accepted: 2,
      valid_rejected: 1,
      invalid_rejected: 2,
      invalid_accepted: 0,
      unsupported: 1,
    });
    expect(Object.keys(counts['compile_ms'] ?? {})).toEqual(['p50', 'p99']);
    expect(Object.keys(counts['mask_us'] ?? {})).toEqual(['p50', 'p99', 'p999']);
    expect(counts['mask_us']?.['p999']).toBeGreaterThan(0);
  });

  it('names what it does not agree with', async () => {
    const { stdout } = await emberline('grammar', 'suite', 'suite', '--device', DEVICE);
    expect(stdout).toMatch(/^more\/groups\.json: numbers: a wrong test: rejected$/m);
    expect(stdout).toMatch(/^more\/groups\.json: refused: unsupported: .*\/pattern/m);
  });

  it('says what is no suite', async () => {
    expect((await emberline('grammar', 'suite', 'nowhere')).stderr).toMatch(/^FILE_NOT_FOUND: /);
    expect((await emberline('grammar', 'suite', '.')).stderr).toMatch(/^INVALID_ARGUMENT: bad\.json /);
  });
});

describe('generate', () => {
  const generate = (...args: string[]): Promise<Ended> =>
    emberline('generate', '--prompt-file', 'start.txt', '--device', DEVICE, ...args);

  it('follows a grammar', async () => {
    const { status, stdout } = await generate('--grammar', 'word.gbnf', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      text: expect.stringMatching(/^(yes|no)$/) as string,
      stop: 'grammar',
      grammar_ended: true,
    });
  });

  it.each(['compact', 'indented', 'free'])('conforms to a schema, layout %s', async (layout) => {
    const args = ['--schema', 'point.json', '--layout', layout, '--temperature', '1', '--seed', '3'];
    const { stdout } = await generate(...args, '--max-tokens', '200');
    const point = JSON.parse(stdout) as Record<string, number>;
    expect(Object.keys(point).sort()).toEqual(['x', 'y']);
    if (layout === 'compact') expect(stdout).toBe(`${JSON.stringify(point)}\n`);
    if (layout === 'indented') expect(stdout).toBe(`${JSON.stringify(point, null, 2)}\n`);
  });

  it('says what is wrong', async () => {
    expect(await generate('--grammar', 'wrong.gbnf')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^GRAMMAR_INVALID: /) as string,
    });
    expect((await generate('--schema', 'refused.json')).stderr).toMatch(/^GRAMMAR_UNSUPPORTED: .*\/pattern/);
    expect((await generate('--schema', 'point.json', '--grammar', 'word.gbnf')).status).toBe(2);
    expect((await generate('--schema', 'point.json', '--layout', 'wide')).status).toBe(2);
  });
});
