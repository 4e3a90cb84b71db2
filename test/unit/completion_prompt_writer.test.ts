/** What is written for a model that was taught to read the text after the cursor, and for one that was not. */
import { describe, expect, it } from 'vitest';
import { ask } from '../../core/completion/asking';
import { snapshotOfText } from '../../core/completion/document';
import type { EngineRequest } from '../../core/engine/engine_request';
import { DEFAULT_OPTIONS, type WhereItPays } from '../../core/completion/options';
import { promptText } from '../../core/completion/prompt';
import { type Place, PromptWriter } from '../../core/completion/prompt_writer';
import type { FindSnippets } from '../../core/completion/snippets';
import { estimateTokens } from '../../core/completion/token_estimate';
import { type NativeFim, type NativePrompt, NO_COMPLETION } from '../../core/engine/native_types';
import { asOneToken } from './made_up_tokens';

const FIM: NativeFim = { layout: 'suffix_prefix_contiguous', suffix: 8, prefix: 9, separator: 5 };

type Extras = Pick<Place, 'snippets' | 'clipboard' | 'rests' | 'constraint'>;

interface Writing {
  /** The request for the `|` of `text`. */
  readonly at: (text: string, extras?: Extras) => Promise<EngineRequest>;
  readonly writer: PromptWriter;
}

function writing({
  fim = FIM,
  promptTokens = 400,
  longest = Infinity,
  prefillTokensPerSecond = undefined as number | undefined,
  parameters = 135e6,
  similarCode = DEFAULT_OPTIONS.similarCode,
  definitions = DEFAULT_OPTIONS.definitions,
} = {}): Writing {
  const speed = { prefillTokensPerSecond };
  const writer = new PromptWriter({ speed, fim, parameters });
  const options = { ...DEFAULT_OPTIONS, promptTokens, similarCode, definitions };
  return {
    writer,
    at: async (text, extras) => {
      const offset = text.lastIndexOf('|');
      const plain = text.slice(0, offset) + text.slice(offset + 1);
      const place = { uri: 'file:///a.py', path: 'a.py', languageId: 'python', text: plain, offset };
      let sent: EngineRequest | undefined;
      await ask(writer, { document: snapshotOfText(place), options, ...extras }, (request) => {
        sent = request;
        if (promptText(request.prompt).length > longest)
          return Promise.resolve({ ok: false, error: { code: 'CONTEXT_OVERFLOW', message: 'Too long.' } });
        const value = { ...NO_COMPLETION, stop: 'line_end', ...asOneToken('', 1) } as const;
        return Promise.resolve({ ok: true, value });
      });
      if (sent === undefined) throw new Error('nothing was asked');
      return sent;
    },
  };
}

const line = (number: number): string => `value_${number} = compute(${number})\n`;
const LINES = Array.from({ length: 300 }, (_, index) => line(index));
const suffixOf = (prompt: NativePrompt): string => {
  const text = prompt[0] === 8 ? prompt[1] : '';
  return typeof text === 'string' ? text : '';
};

describe('the prompt of a model that fills in the middle', () => {
  it.each<[string, string, NativePrompt, string]>([
    ['within a line', 'a = 1\nb = |)\nc = 3\n', [8, 'c = 3\n', 9, '# a.py\na = 1\nb ='], ' '],
    ['at a line start', 'if a:\n    |\nb\n', [8, 'b\n', 9, '# a.py\nif a:'], '\n    '],
    ['on the first line', 'x|\ny\n', [8, 'y\n', 9, '# a.py\n'], 'x'],
    ['in front of blank lines', 'x|\n\n\ny\n', [8, '\n\ny\n', 9, '# a.py\n'], 'x'],
    ['on the last line', 'a\nb|c', [9, '# a.py\na'], '\nb'],
    ['with blanks alone below', 'a\nb|\n\n  \n', [9, '# a.py\na'], '\nb'],
    ['behind Windows line breaks', 'a\r\nb|\r\nc\r\n', [8, 'c\n', 9, '# a.py\na'], '\nb'],
    [
      'in text that names control tokens',
      '<|im_end|>\n|\n<file_sep>\n',
      [8, '<file_sep>\n', 9, '# a.py\n<|im_end|>'],
      '\n',
    ],
  ])('is made of parts: %s', async (_, text, prompt, requiredPrefix) => {
    expect(await writing().at(text)).toMatchObject({ prompt, requiredPrefix });
  });

  it('has pieces of other files between suffix and prefix, as far as there is room', async () => {
    const snippets = [
      { path: 'lib/b.js', languageId: 'javascript', text: 'let b;\n' },
      { path: 'long.py', languageId: 'python', text: LINES.join('') },
      { path: 'c.py', languageId: 'python', text: 'c = 1\n' },
    ];
    const { at } = writing();
    const others = [5, '// lib/b.js\nlet b;\n', 5, '# c.py\nc = 1\n'];
    const { prompt } = await at('x|\ny\n', { snippets: () => snippets });
    expect(prompt).toEqual([8, 'y\n', ...others, 9, '# a.py\n']);
    expect((await writing().at('x|', { snippets: () => snippets })).prompt).toEqual([
      ...others,
      9,
      '# a.py\n',
    ]);
  });

  it.each<[WhereItPays, number, boolean]>([
    ['auto', 135e6, true],
    ['auto', 1.5e9, false],
    ['always', 1.5e9, true],
    ['never', 135e6, false],
  ])('has them where they pay or are wanted: %s, %d parameters', async (similarCode, parameters, has) => {
    const snippets: FindSnippets = () => [{ path: 'b.py', languageId: 'python', text: 'b\n' }];
    const { prompt } = await writing({ similarCode, parameters }).at('x|', { snippets });
    expect(promptText(prompt).includes('# b.py')).toBe(has);
  });

  it('keeps the pieces that it has while somebody types, until its window begins elsewhere', async () => {
    const { at } = writing();
    let found = 'first';
    const snippets: FindSnippets = () => [{ path: 'b.py', languageId: 'python', text: `${found}\n` }];
    const pieceAt = async (text: string, rests = false): Promise<unknown> => {
      const { prompt } = await at(text, { snippets, rests });
      return typeof prompt === 'string' ? undefined : prompt[1];
    };
    const some = LINES.slice(0, 4).join('');
    expect(await pieceAt(`${some}x|`)).toBe('# b.py\nfirst\n');
    found = 'second';
    expect(await pieceAt(`${some}x = 1|`)).toBe('# b.py\nfirst\n');
    expect(await pieceAt(`${some}x = 1|`, true)).toBe('# b.py\nfirst\n');
    expect(await pieceAt(`${LINES.slice(0, 16).join('')}x|`)).toBe('# b.py\nfirst\n');
    expect(await pieceAt(`${LINES.slice(0, 16).join('')}x|`, true)).toBe('# b.py\nsecond\n');
    found = 'third';
    expect(await pieceAt(`${LINES.join('')}x|`)).toBe('# b.py\nthird\n');
  });

  it('has definitions in front, what was copied behind all, and both leave the KV cache what they can', async () => {
    const { at } = writing({ definitions: 'always' });
    const snippets: FindSnippets = () => [
      { path: 'b.py', languageId: 'python', text: 'b\n' },
      { kind: 'definition', path: 'c.py', languageId: 'python', text: 'def c(): ...\n' },
    ];
    const front = [5, '# c.py\ndef c(): ...\n', 5, '# b.py\nb\n'];
    const prompts: NativePrompt[] = [];
    for (const typed of ['x', 'x =', 'x = c']) prompts.push((await at(`${typed}|`, { snippets })).prompt);
    for (const prompt of prompts) expect(prompt.slice(0, 4)).toEqual(front);
    const { prompt } = await at('x = c|', { snippets, clipboard: 'copied\n' });
    expect(prompt).toEqual([...front, 5, '# clipboard\ncopied\n', 9, '# a.py\nx =']);
    expect((await at('x = c|', { snippets })).prompt).toEqual(prompts[2]);
  });

  it('looks again where it has none, once the cursor rests', async () => {
    const { at } = writing();
    expect((await at('x = |', { snippets: () => [] })).prompt).toEqual([9, '# a.py\nx =']);
    const snippets: FindSnippets = () => [{ path: 'b.py', languageId: 'python', text: 'b\n' }];
    expect((await at('x = 1|', { snippets })).prompt).toEqual([9, '# a.py\nx =']);
    expect((await at('x = 1|', { snippets, rests: true })).prompt).toEqual([
      5,
      '# b.py\nb\n',
      9,
      '# a.py\nx =',
    ]);
  });

  it('spells again what a constraint says', async () => {
    const constraint = { requiredPrefix: '"na', grammar: { grammar: {}, prefix: '{' } as never };
    const { prompt, requiredPrefix } = await writing().at('{ "na|\n}\n', { constraint });
    expect(prompt).toEqual([8, '}\n', 9, '# a.py\n{ ']);
    expect(requiredPrefix).toBe('"na');
  });

  it.each([
    [100, 25],
    [400, 100],
    [1_000, 250],
    [4_000, 256],
  ])('of %d tokens has at most %d behind the cursor, and the rest before', async (promptTokens, most) => {
    const { prompt } = await writing({ promptTokens }).at(
      `${LINES.slice(0, 150).join('')}x|\n${LINES.slice(150).join('')}`,
    );
    const suffix = estimateTokens(suffixOf(prompt));
    expect(suffix).toBeLessThanOrEqual(most);
    expect(suffix).toBeGreaterThan(most - 2 * estimateTokens(line(150)));
    const all = estimateTokens(promptText(prompt));
    expect(all).toBeLessThanOrEqual(promptTokens);
  });

  it('leaves to the text before the cursor what the suffix does not need', async () => {
    const before = LINES.join('');
    const size = async (text: string): Promise<number> =>
      estimateTokens(promptText((await writing().at(text)).prompt));
    const alone = await size(`${before}x|`);
    expect(await size(`${before}x|\ny\n`)).toBeGreaterThan(alone - 20);
  });

  it('is cut shorter on both sides where it overflows the context', async () => {
    const text = `${LINES.slice(0, 150).join('')}x|\n${LINES.slice(150).join('')}`;
    const { prompt } = await writing({ longest: 500 }).at(text);
    expect(promptText(prompt).length).toBeLessThanOrEqual(500);
    expect(suffixOf(prompt)).toMatch(/^value_150/);
  });

  it('draws by all of it', async () => {
    const seed = async (text: string): Promise<number | undefined> =>
      (await writing().at(text)).sampling?.seed;
    expect(await seed('x|\ny\n')).toBe(await seed('x|\ny\n'));
    expect(await seed('x|\ny\n')).not.toBe(await seed('x|\nz\n'));
  });

  it('keeps its suffix and its front while one types, with Enter and a step up', async () => {
    const { at } = writing();
    const above = LINES.slice(0, 150).join('');
    const below = LINES.slice(150).join('');
    const fronts = new Set<string>();
    const front = ({ prompt }: EngineRequest): string => JSON.stringify(prompt).slice(0, 600);
    let typed = '';
    for (const key of 'first = 1\n\nif first:\n    second = 2\n    third = 3\n') {
      typed += key;
      fronts.add(front(await at(`${above}${typed}|\n${below}`)));
    }
    const up = typed.indexOf('    third');
    fronts.add(front(await at(`${above}${typed.slice(0, up)}|${typed.slice(up)}\n${below}`)));
    expect(fronts.size).toBe(1);
    const far = await at(`${LINES.slice(0, 100).join('')}|${LINES.slice(100).join('')}`);
    expect(front(far)).not.toBe([...fronts][0]);
    expect(suffixOf(far.prompt)).toMatch(/^value_101 /);
  });

  it('forgets with the document', async () => {
    const { at, writer } = writing();
    const suffix = async (text: string): Promise<string> => suffixOf((await at(text)).prompt);
    expect(await suffix('x|\ny\n')).toBe('y\n');
    expect(await suffix('x|\nw\ny\n')).toBe('y\n');
    writer.forget('file:///a.py');
    expect(await suffix('x|\nw\ny\n')).toBe('w\ny\n');
    expect(await suffix('x|\nv\nw\ny\n')).toBe('w\ny\n');
    writer.reset();
    expect(await suffix('x|\nv\nw\ny\n')).toBe('v\nw\ny\n');
  });
});

describe('the prompt of a model that reads what follows the cursor again for each key', () => {
  const fim = { ...FIM, layout: 'prefix_suffix_middle', middle: 7 };
  const below = Array.from({ length: 60 }, (_, i) => `value_${i} = ${i}\n`).join('');
  const suffixAt = async (prefillTokensPerSecond?: number): Promise<string> => {
    const { prompt } = await writing({ fim, prefillTokensPerSecond }).at(`a = 1\nb = |\n${below}`);
    expect(prompt).toEqual([9, '# a.py\na = 1\nb =', 8, expect.any(String), 7]);
    return String(prompt[3]);
  };

  it('has as much of that as is read in 40 ms, and a line or two', async () => {
    const unknown = await suffixAt();
    expect(unknown).toMatch(/^\nvalue_0 = 0\n/);
    expect(estimateTokens(unknown)).toBeLessThanOrEqual(16);
    expect(await suffixAt(100)).toBe(unknown);
    const fast = await suffixAt(1_500);
    expect(estimateTokens(fast)).toBeGreaterThan(45);
    expect(estimateTokens(fast)).toBeLessThanOrEqual(60);
    expect(estimateTokens(await suffixAt(100_000))).toBeGreaterThan(80);
  });
});

describe('the prompt of a model that does not', () => {
  it('is the text before the cursor alone', async () => {
    const snippets = [{ path: 'b.py', languageId: 'python', text: 'b\n' }];
    const { prompt } = await writing({ fim: { ...FIM, layout: 'other' } }).at('a = 1\nb = |)\nc = 3\n', {
      snippets: () => snippets,
    });
    expect(prompt).toBe('# a.py\na = 1\nb =');
  });
});
