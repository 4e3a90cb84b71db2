/** The terminal program as built: what it prints where, and how it ends. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  copyFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REASONS } from '../../core/completion/reasons';
import { STOPS } from '../../core/completion/stop';
import { type Ended, runProgram } from './cli_program';
import { DEVICE, loadModel, MODEL, ROOT, valueOf } from './embedded_model';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-cli-'));
  writeFileSync(join(folder, 'add.py'), ADD);
});
afterAll(() => rmSync(folder, { recursive: true }));

const ADD = 'def add(a, b):\n    """The sum of a and b."""\n    return \n';

/** Runs a command in the test's folder, with `input` on standard input. */
const emberline = (args: readonly string[], input: string | Uint8Array = ''): Promise<Ended> =>
  runProgram(folder, args, input);

const at = (line: number, column: number, file = 'add.py'): string[] => [
  'complete',
  ...['--file', file, '--line', String(line), '--column', String(column), '--device', DEVICE],
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

  it('says the same of a folder', async () => {
    const fixtures = join(import.meta.dirname, '..', 'fixtures', 'folders');
    const { status, stdout } = await emberline(['inspect', join(fixtures, 'qwen3-mlx')]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^runs: yes\nSafeTensors, /);
    expect(stdout).toContain('\narchitecture qwen3, ');
  });

  it('prints one JSON object', async () => {
    const { status, stdout, stderr } = await emberline([...at(3, 12), '--json']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const completed = JSON.parse(stdout) as Completed;
    expect(Object.keys(completed)).toEqual(['text', 'tokens', 'stop', 'shown', 'reason', 'timings']);
    expect(completed).toMatchObject({ text: 'a + b', shown: true, reason: 'shown' });
    expect(['line_end', 'end_token']).toContain(completed.stop);
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

  it('follows the schema of a JSON file, unless told not to', async () => {
    writeFileSync(join(folder, 'package.json'), '{\n  "type": \n}\n');
    const place = [...at(2, 11, 'package.json'), '--json'];
    const bound = JSON.parse((await emberline(place)).stdout) as Completed & { schema?: string };
    expect(bound.schema).toBe('bound');
    expect(['"module"', '"commonjs"']).toContain(bound.text);
    const free = JSON.parse((await emberline([...place, '--no-schemas'])).stdout) as object;
    expect(free).not.toHaveProperty('schema');
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

describe('generate', () => {
  const generate = (...args: string[]): string[] => ['generate', '--prompt-file', 'start.py', ...args];

  beforeAll(() => writeFileSync(join(folder, 'start.py'), 'def add(a, b):\n    return'));

  it('prints the text alone, over several lines', async () => {
    const { status, stdout, stderr } = await emberline(generate('--max-tokens', '12', '--temperature', '0'));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^ a \+ b\n[^]*\S/);
  });

  it('prints one JSON object, and the same ids alone', async () => {
    const args = generate('--max-tokens', '12');
    const { stdout } = await emberline([...args, '--json']);
    const generated = JSON.parse(stdout) as Pick<Completed, 'text' | 'tokens' | 'stop' | 'timings'>;
    expect(Object.keys(generated)).toEqual(['text', 'tokens', 'stop', 'timings', 'drafting']);
    expect(STOPS).toHaveProperty(generated.stop);
    expect(generated.tokens).toHaveLength(generated.timings['generated_tokens'] ?? -1);
    expect((await emberline(args)).stdout).toBe(`${generated.text}\n`);
    expect((await emberline([...args, '--ids'])).stdout).toBe(`${generated.tokens.join(' ')}\n`);
  });

  it('writes the same with drafts as without', async () => {
    const items = Array.from({ length: 8 }, (_, at) => `    {'id': ${at}, 'name': 'item ${at}'},\n`);
    const repetitive = `items = [\n${items.join('')}    {'id': 8, 'name':`;
    for (const temperature of ['0', '0.2']) {
      const args = ['generate', '--prompt-file', '-', '--max-tokens', '24', '--temperature', temperature];
      const plain = JSON.parse((await emberline([...args, '--json'], repetitive)).stdout) as Completed;
      const looked = await emberline([...args, '--lookup', '--json'], repetitive);
      const drafted = JSON.parse(looked.stdout) as Completed;
      expect(drafted.tokens).toEqual(plain.tokens);
      expect(plain).toMatchObject({ drafting: { drafted: 0, accepted: 0, batches: 0 } });
    }
  });

  it('draws what the seed says, again and again', async () => {
    const wild = [
      '--max-tokens',
      '16',
      '--temperature',
      '1.5',
      '--top-k',
      '0',
      '--top-p',
      '1',
      '--min-p',
      '0',
    ];
    const [one, again, other] = await Promise.all(
      ['1', '1', '2'].map((seed) => emberline(generate(...wild, '--seed', seed))),
    );
    expect(again?.stdout).toBe(one?.stdout);
    expect(other?.stdout).not.toBe(one?.stdout);
  });

  it('reads standard input, and control tokens where it is asked to', async () => {
    const turns = '<|im_start|>user\nSay hello.<|im_end|>\n<|im_start|>assistant\n';
    const args = ['generate', '--prompt-file', '-', '--max-tokens', '1', '--json'];
    const promptTokens = async (...more: string[]): Promise<number> => {
      const { stdout } = await emberline([...args, ...more], turns);
      return (JSON.parse(stdout) as Completed).timings['prompt_tokens'] ?? NaN;
    };
    expect(await promptTokens('--special')).toBeLessThan(await promptTokens());
  });

  it('has the whole context of the model, and no more', async () => {
    const long = 'value = compute(1)\n'.repeat(3_000);
    const { status, stderr } = await emberline(['generate', '--prompt-file', '-'], long);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^CONTEXT_OVERFLOW: .*8192.*\.\n$/);
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

/** Bytes of the embedded model's matrices, one of which is the embedding and the output matrix, and of a row of that. */
const WEIGHT_BYTES = 96_436_836;

describe('inspect --dispatches', () => {
  it('prints what the device is told for a token', async () => {
    const { status, stdout } = await emberline(['inspect', MODEL, '--dispatches', '--device', 'cpu']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^.+ on cpu, .+\n\n *#/);
    expect(stdout).toMatch(/\n +0 +embedding +embedding +1x1x1 +1 +token_offset +612 /);
    expect(stdout).toMatch(
      /\n *\d+ +layer 29 norm\+gate\+up +norm and gate\/up products +96x1x1 +1 +none +1105920 +0 /,
    );
    expect(stdout).toMatch(/\neach of layers 0 to 29 /);
    // Keys and values of 30 layers, 3 heads, 64 halves each.
    expect(stdout).toMatch(new RegExp(`\\na token +\\d+ +${WEIGHT_BYTES} +${30 * 2 * 3 * 64 * 2} +\\d+\\n$`));
  });

  it('prints one JSON object', async () => {
    const { stdout } = await emberline(['inspect', MODEL, '--dispatches', '--rows', '16', '--json']);
    const { device, rows, sampled, dispatches } = JSON.parse(stdout) as {
      readonly device: string;
      readonly rows: number;
      readonly sampled: boolean;
      readonly dispatches: readonly { readonly weight_bytes: number }[];
    };
    expect(device).not.toBe('');
    expect({ rows, sampled }).toEqual({ rows: 16, sampled: false });
    expect(Object.keys(dispatches[0] ?? {})).toEqual([
      ...['label', 'kernel', 'threadgroups', 'threads', 'patch'],
      ...['weight_bytes', 'kv_bytes_a_position', 'other_bytes'],
    ]);
    const weights = dispatches.reduce((sum, dispatch) => sum + dispatch.weight_bytes, 0);
    expect(weights).toBe(WEIGHT_BYTES + 15 * 612);
  });
});

describe('inspect', () => {
  it('says what is in a model, and that it runs', async () => {
    const { status, stdout } = await emberline(['inspect', MODEL]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^runs: yes\n/);
    expect(stdout).toContain('\narchitecture llama, Q4_1 ');
    expect(stdout).toMatch(/\nmemory: [0-9.]+ [MG]B of weights; with a context of 2048 tokens [0-9.]+ [MG]B/);
    // 30 layers of 3 heads, 64 numbers each, of keys and of values; blocks of 32 bytes with a scale of two.
    expect(stdout).toContain('\nkeys and values: 23.0 kB a token as f16, 12.2 kB a token as q8_0\n');
    expect(stdout).toMatch(/\nfills in the middle: .*suffix \d+/);
    expect(stdout).toMatch(
      /\nspeed: about \d+ tokens\/s, and [0-9.]+ m?s to the first after a prompt of 512, expected here/,
    );
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
      'weight_bytes',
      'kv_cache',
      'kv_bytes_a_position',
      'kv_bytes',
      'context_length',
      'expected_tokens_a_second',
      'expected_first_token_ms',
      'fim',
      'metadata',
      'tensors',
    ]);
    expect(inspection).toMatchObject({
      runs: true,
      unsupported: '',
      version: 3,
      file_bytes: statSync(MODEL).size,
    });
  });
});

/** What a Mac has depends on the Mac. */
const WITHOUT_A_GPU: [string, string[]][] =
  process.platform === 'darwin' ? [] : [['DEVICE_UNAVAILABLE', [...at(1, 1), '--device', 'metal']]];

describe('failures', () => {
  it.each([
    ['INVALID_ARGUMENT', at(99, 1)],
    ['INVALID_ARGUMENT', at(1, 99)],
    ['FILE_NOT_FOUND', at(1, 1, 'none.py')],
    ['FILE_NOT_REGULAR', at(1, 1, '.')],
    ['FILE_NOT_FOUND', [...at(1, 1), '--model', 'none.gguf']],
    ['MODEL_NOT_GGUF', [...at(1, 1), '--model', 'add.py']],
    ...WITHOUT_A_GPU,
    ['FILE_NOT_FOUND', ['complete', '--cases', 'none.jsonl', '--json']],
    ['FILE_NOT_FOUND', ['generate', '--prompt-file', 'none.txt']],
    ['FILE_NOT_FOUND', ['generate', '--prompt-file', 'add.py', '--draft', 'none.gguf']],
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
    [[...at(1, 1), '--temperature', 'warm']],
    [[...at(1, 1), '--top-p', '1.1']],
    [['generate']],
    [['generate', '--prompt-file', 'add.py', '--seed', '-1']],
    [[...at(1, 1), 'surplus']],
    [['logits', '--ids', '1,-2', '--out', 'x.f32']],
    [['logits', '--ids', '', '--out', 'x.f32']],
    [['logits', '--ids', '1']],
    [['inspect']],
    [['inspect', MODEL, '--rows', '4']],
    [['inspect', MODEL, '--sampled']],
    [['inspect', MODEL, '--dispatches', '--rows', '65']],
    [['inspect', MODEL, '--dispatches', '--rows', '2', '--sampled']],
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
    expect(commands).toEqual(['complete', 'generate', 'tokenize', 'logits', 'grammar', 'inspect']);
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
