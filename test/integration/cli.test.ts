/** The terminal program as built: what it prints where, and how it ends. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, truncateSync, copyFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REASONS } from '../../extension/completion/reasons';
import { STOPS } from '../../extension/completion/stop';
import { loadModel, MODEL, ROOT, valueOf } from './embedded_model';

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-cli-'));
  writeFileSync(join(folder, 'add.py'), ADD);
});
afterAll(() => rmSync(folder, { recursive: true }));

const ADD = 'def add(a, b):\n    """The sum of a and b."""\n    return \n';

/** Runs a command of the bundle in the test's folder, with `input` on standard input. */
function emberline(args: readonly string[], input: string | Uint8Array = ''): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(ROOT, 'dist', 'cli.cjs'), ...args],
      { cwd: folder, maxBuffer: 2 ** 26 },
      (_, stdout, stderr) => resolve({ status: child.exitCode, stdout, stderr }),
    );
    // A program that ends without reading its input closes the pipe.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

const at = (line: number, column: number, file = 'add.py'): string[] => [
  'complete',
  ...['--file', file, '--line', String(line), '--column', String(column)],
];

interface Completed {
  readonly text: string;
  readonly tokens: readonly number[];
  readonly stop: keyof typeof STOPS;
  readonly shown: boolean;
  readonly reason: keyof typeof REASONS;
  readonly timings: Readonly<Record<string, number>>;
}

describe('complete', () => {
  it('prints the text alone', async () => {
    expect(await emberline(at(3, 12))).toEqual({ status: 0, stdout: 'a + b\n', stderr: '' });
  });

  it('prints one JSON object', async () => {
    const { status, stdout, stderr } = await emberline([...at(3, 12), '--json']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const completed = JSON.parse(stdout) as Completed;
    expect(Object.keys(completed)).toEqual(['text', 'tokens', 'stop', 'shown', 'reason', 'timings']);
    expect(completed).toMatchObject({ text: 'a + b', stop: 'line_end', shown: true, reason: 'shown' });
    expect(Object.keys(completed.timings)).toEqual([
      'prompt_tokens',
      'reused_tokens',
      'generated_tokens',
      'prefill_ms',
      'first_token_ms',
      'total_ms',
    ]);
    expect(completed.tokens).toHaveLength(completed.timings['generated_tokens'] ?? -1);
  });

  it('says why nothing is shown, and has the text as JSON all the same', async () => {
    writeFileSync(join(folder, '.env'), 'HOME=/root\nUSER=');
    expect(await emberline(at(2, 6, '.env'))).toEqual({
      status: 0,
      stdout: '',
      stderr: `${REASONS.excluded_file}\n`,
    });
    const completed = JSON.parse((await emberline([...at(2, 6, '.env'), '--json'])).stdout) as Completed;
    expect(completed).toMatchObject({ shown: false, reason: 'excluded_file' });
    expect(completed.text).not.toBe('');
  });

  it('completes many places as it completes each', async () => {
    const cases = [
      { id: 'a', path: 'add.py', prefix: ADD.slice(0, -1), suffix: '\n' },
      { id: 'b', path: 'x.ts', prefix: 'for (let i = 0; i < 10; ', suffix: ') {\n}\n', edits: [] },
      { id: 'c', path: 'empty.py', prefix: '', suffix: '' },
    ];
    writeFileSync(join(folder, 'cases.jsonl'), cases.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const { status, stdout } = await emberline(['complete', '--cases', 'cases.jsonl', '--json']);
    expect(status).toBe(0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Completed & { id: string; confidence: number });
    expect(lines.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(lines[0]?.text).toBe('a + b');
    for (const { stop, reason, shown, confidence } of lines) {
      expect(STOPS).toHaveProperty(stop);
      expect(REASONS).toHaveProperty(reason);
      expect(shown).toBe(reason === 'shown');
      expect(confidence).toBeGreaterThanOrEqual(0);
      expect(confidence).toBeLessThanOrEqual(1);
    }
  });
});

describe('tokenize', () => {
  const TEXT = 'x = "é😀"\r\n<|im_end|>';

  it('prints the ids of its input', async () => {
    const model = await loadModel();
    const plain = [...valueOf(await model.tokenize(TEXT, false))];
    const special = [...valueOf(await model.tokenize(TEXT, true))];
    await model.close();
    expect((await emberline(['tokenize'], TEXT)).stdout).toBe(`${plain.join(' ')}\n`);
    expect(JSON.parse((await emberline(['tokenize', '--json'], TEXT)).stdout)).toEqual(plain);
    expect(JSON.parse((await emberline(['tokenize', '--special', '--json'], TEXT)).stdout)).toEqual(special);
    expect(special.at(-1)).toBe(2);
    expect((await emberline(['tokenize', '--json'], '')).stdout).toBe('[]\n');
  });

  it('reads input that is not UTF-8', async () => {
    expect(await emberline(['tokenize', '--json'], new Uint8Array([0x61, 0xff, 0xfe]))).toMatchObject({
      status: 0,
    });
  });
});

describe('logits', () => {
  it('writes those of the model', async () => {
    const ended = await emberline(['logits', '--ids', '1, 2,3', '--out', 'next.f32']);
    expect(ended).toEqual({ status: 0, stdout: '', stderr: '' });
    const bytes = readFileSync(join(folder, 'next.f32'));
    const model = await loadModel();
    const logits = valueOf(await model.logits(new Uint32Array([1, 2, 3])));
    await model.close();
    expect(bytes.length).toBe(4 * logits.length);
    expect(logits.every((value, i) => value === bytes.readFloatLE(4 * i))).toBe(true);
  });
});

describe('inspect', () => {
  it('says what is in a model, and that it runs', async () => {
    const { status, stdout } = await emberline(['inspect', MODEL]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^runs: yes\n/);
    expect(stdout).toContain('general.architecture (string) = "llama"');
    expect(stdout).toMatch(/token_embd\.weight +Q8_0 +576x49152, 30081024 bytes\n/);
  });

  it('prints one JSON object', async () => {
    const { stdout } = await emberline(['inspect', MODEL, '--json']);
    const inspection = JSON.parse(stdout) as Record<string, unknown>;
    expect(Object.keys(inspection)).toEqual([
      'runs',
      'unsupported',
      'version',
      'file_bytes',
      'metadata',
      'tensors',
    ]);
    expect(inspection).toMatchObject({ runs: true, unsupported: '', version: 3, file_bytes: 98_362_432 });
  });
});

describe('failures', () => {
  it.each([
    ['INVALID_ARGUMENT', at(99, 1)],
    ['INVALID_ARGUMENT', at(1, 99)],
    ['FILE_NOT_FOUND', at(1, 1, 'none.py')],
    ['FILE_NOT_REGULAR', at(1, 1, '.')],
    ['FILE_NOT_FOUND', [...at(1, 1), '--model', 'none.gguf']],
    ['MODEL_NOT_GGUF', [...at(1, 1), '--model', 'add.py']],
    ['DEVICE_UNAVAILABLE', [...at(1, 1), '--device', 'metal']],
    ['FILE_NOT_FOUND', ['complete', '--cases', 'none.jsonl', '--json']],
    ['INVALID_ARGUMENT', ['complete', '--cases', 'add.py', '--json']],
    ['INVALID_ARGUMENT', ['logits', '--ids', '99999999', '--out', 'x.f32']],
    ['FILE_NOT_FOUND', ['logits', '--ids', '1', '--out', 'none/x.f32']],
    ['MODEL_NOT_GGUF', ['inspect', 'add.py']],
  ])('%s is one sentence on standard error: %j', async (code, args) => {
    const { status, stdout, stderr } = await emberline(args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^${code}: .*\\.\\n$`));
  });

  it('names a model that is cut short', async () => {
    const cut = join(folder, 'cut.gguf');
    copyFileSync(MODEL, cut);
    truncateSync(cut, 50_000_000);
    for (const args of [
      ['inspect', cut],
      [...at(3, 12), '--model', cut],
    ]) {
      const { status, stderr } = await emberline(args);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^MODEL_TRUNCATED: .*\.\n$/);
    }
  });
});

describe('usage', () => {
  it.each([
    [['complete']],
    [['complete', '--file', 'add.py']],
    [at(0, 1)],
    [at(1, 0)],
    [['complete', '--file', 'add.py', '--line', '1.5', '--column', '1']],
    [['complete', '--cases', 'x.jsonl']],
    [['complete', '--cases', 'x.jsonl', '--json', '--line', '1']],
    [[...at(1, 1), '--device', 'abacus']],
    [[...at(1, 1), '--threads', '65']],
    [[...at(1, 1), '--max-tokens', '0']],
    [[...at(1, 1), 'surplus']],
    [['logits', '--ids', '1,-2', '--out', 'x.f32']],
    [['logits', '--ids', '', '--out', 'x.f32']],
    [['logits', '--ids', '1']],
    [['inspect']],
    [['tokenize', '--unknown']],
    [['compleet']],
  ])('is one line on standard error: %j', async (args) => {
    const { status, stdout, stderr } = await emberline(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^USAGE: .+\n$/);
  });

  it('is explained on demand', async () => {
    const { status, stdout } = await emberline(['--help']);
    expect(status).toBe(0);
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map((match) => match[1]);
    expect(commands).toEqual(['complete', 'tokenize', 'logits', 'inspect']);
    expect((await emberline(['complete', '--help'])).stdout).toContain('--column <n>');
    expect(await emberline([])).toMatchObject({ status: 2, stdout: '' });
  });

  it('ends quietly when nobody reads on', async () => {
    const child = spawn(process.execPath, [join(ROOT, 'dist', 'cli.cjs'), 'inspect', MODEL, '--json']);
    child.stdout.destroy();
    const [status] = (await once(child, 'exit')) as [number | null];
    expect(status).toBe(0);
  });

  it('takes paths from where the command was typed', async () => {
    const args = ['--prefix', ROOT, 'run', '--silent', 'emberline', '--', ...at(3, 12)];
    const { stdout } = await new Promise<{ stdout: string }>((resolve) => {
      execFile('npm', args, { cwd: folder, shell: process.platform === 'win32' }, (_, output) =>
        resolve({ stdout: output }),
      );
    });
    expect(stdout).toBe('a + b\n');
  });
});
