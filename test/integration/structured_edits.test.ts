/**
 * Structured edits by the embedded model: whatever it answers can be applied and leaves other lines as they are, and what is well
 * known is done as asked.
 */
import { parseSync } from 'oxc-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstEdit } from '../../bench/first_edit';
import type { EditProposal, EditRequest } from '../../core/edit/edit_proposal';
import { applied } from '../../core/edit/line_edit';
import { Engine } from '../../core/engine/engine';
import { ADDON, DEVICE, MODEL, render, valueOf } from './embedded_model';
import { expectRandomEditsApply, expectUntouched } from './random_edits';

let engine: Engine;

beforeAll(async () => {
  engine = valueOf(await Engine.load({ addonPath: ADDON, modelPath: MODEL, device: DEVICE }));
});
afterAll(() => engine.dispose());

const propose = (request: EditRequest): Promise<EditProposal> => firstEdit({ engine, render }, request);

describe('edits of random documents', () => {
  it('are applied, and leave other lines as they are', () => expectRandomEditsApply(engine, 60));
});

interface Scripted {
  readonly instruction: string;
  readonly text: string;
  /** Lines of the selection. */
  readonly select: readonly [number, number];
  readonly language?: string;
  /** What the result has, and what it has no more. */
  readonly has: readonly string[];
  readonly lacks?: readonly string[];
}

const CART = `import { price } from './price';

export function total(items: Item[], rate: number): number {
  let sum = 0; // the sum
  for (const item of items) {
    sum += price(item) * item.count;
  }
  return sum * (1 + rate);
}

export const label = (sum: number): string => \`sum: \${sum}\`;
`;
const STORE = `class Store {
  constructor(folder, size = 10) {
    this.folder = folder;
    this.size = size;
  }

  async load(name) {
    const path = join(this.folder, name);
    return read(path, 'utf8');
  }
}

function join(...parts) {
  return parts.filter((part) => part !== '').join('/');
}
`;

const rename = (
  from: string,
  to: string,
  rest: Omit<Scripted, 'instruction' | 'has' | 'lacks'>,
  has: readonly string[],
): Scripted => ({
  instruction: `rename ${from} to ${to}`,
  has,
  lacks: has.filter((part) => part.includes(to)).map((part) => part.replaceAll(to, from)),
  ...rest,
});

const CASES: readonly Scripted[] = [
  rename('sum', 'amount', { text: CART, select: [3, 9] }, [
    'let amount = 0;',
    'amount += price',
    'return amount *',
    'label = (sum',
  ]),
  rename('items', 'entries', { text: CART, select: [3, 9] }, ['total(entries: Item[]', 'of entries)']),
  rename('item', 'entry', { text: CART, select: [5, 7] }, ['const entry of items', 'price(entry) *']),
  rename('rate', 'tax', { text: CART, select: [3, 9] }, ['tax: number', '(1 + tax)']),
  rename('total', 'sumOf', { text: CART, select: [3, 3] }, ['function sumOf(']),
  rename('price', 'cost', { text: CART, select: [6, 6] }, ['sum += cost(item)', 'import { price }']),
  rename('label', 'caption', { text: CART, select: [11, 11] }, ['const caption =']),
  rename('sum', 'amount', { text: CART, select: [11, 11] }, ['(amount: number)', 'let sum = 0']),
  rename('folder', 'root', { text: STORE, select: [2, 5], language: 'javascript' }, [
    'constructor(root,',
    '= root;',
  ]),
  rename('size', 'capacity', { text: STORE, select: [2, 5], language: 'javascript' }, [
    'capacity = 10',
    '= capacity;',
  ]),
  rename('name', 'key', { text: STORE, select: [7, 10], language: 'javascript' }, [
    'load(key)',
    'this.folder, key)',
  ]),
  rename('path', 'file', { text: STORE, select: [8, 9], language: 'javascript' }, [
    'const file =',
    "read(file, 'utf8')",
  ]),
  rename('parts', 'names', { text: STORE, select: [13, 15], language: 'javascript' }, [
    '...names)',
    'return names.filter',
  ]),
  rename('part', 'piece', { text: STORE, select: [14, 14], language: 'javascript' }, [
    "(piece) => piece !== ''",
  ]),
  rename('Store', 'Shelf', { text: STORE, select: [1, 11], language: 'javascript' }, ['class Shelf {']),
  ...(
    [
      ['add a parameter currency to total', CART, [3, 9], 'typescript', ['rate: number, currency']],
      ['add a parameter currency: string', CART, [3, 9], 'typescript', ['rate: number, currency: string']],
      [
        "add a parameter currency: string = 'EUR' to total",
        CART,
        [1, 12],
        'typescript',
        ["rate: number, currency: string = 'EUR')"],
      ],
      [
        'add an optional parameter digits with default 2',
        CART,
        [3, 9],
        'typescript',
        ['rate: number, digits'],
      ],
      [
        'add a parameter prefix: string to label',
        CART,
        [1, 12],
        'typescript',
        ['(sum: number, prefix: string): string =>'],
      ],
      ['add a parameter prefix', CART, [11, 11], 'typescript', ['(sum: number, prefix']],
      [
        'add an argument discount of type number',
        CART,
        [3, 3],
        'typescript',
        ['rate: number, discount: number'],
      ],
      ['add a parameter to total named round', CART, [3, 4], 'typescript', ['rate: number, round']],
      ['add a parameter mode', STORE, [2, 5], 'javascript', ['constructor(folder, size = 10, mode']],
      [
        'add a parameter mode = "r" to the constructor',
        STORE,
        [1, 11],
        'javascript',
        ['size = 10, mode = "r")'],
      ],
      ['add a parameter encoding to load', STORE, [1, 11], 'javascript', ['load(name, encoding']],
      [
        "add a parameter encoding with default 'utf8' to load()",
        STORE,
        [1, 11],
        'javascript',
        ["load(name, encoding = 'utf8')"],
      ],
      ['add a new parameter separator', STORE, [13, 15], 'javascript', ['join(separator', ', ...parts)']],
      [
        'add a parameter separator = 1 to join',
        STORE,
        [13, 15],
        'javascript',
        ['join(separator = 1, ...parts)'],
      ],
      ['please add a parameter called retries', STORE, [7, 10], 'javascript', ['load(name, retries']],
    ] as const
  ).map(([instruction, text, select, language, has]): Scripted => ({
    instruction,
    text,
    select,
    language,
    has,
  })),
];

function syntaxErrors(text: string, language: string): readonly string[] {
  const { errors } = parseSync(language === 'typescript' ? 'a.ts' : 'a.js', text);
  return errors.map(({ message }) => message);
}

describe('renames and parameters', () => {
  it.each(CASES.map((scripted, index) => [index + 1, scripted] as const))('case %i', async (_, scripted) => {
    const { instruction, text, select, language = 'typescript', has, lacks = [] } = scripted;
    expect(syntaxErrors(text, language)).toEqual([]);
    for (const part of lacks) expect(text).toContain(part);
    const request = {
      instruction,
      text,
      languageId: language,
      first: select[0],
      last: select[1],
      adds: false,
      unit: '  ',
    };
    const { ending, sentence, replacements, completion } = await propose(request);
    expect(ending, `${sentence} ${completion?.text ?? ''}`).toBe('proposed');
    const result = applied(text, replacements);
    expect(syntaxErrors(result, language), result).toEqual([]);
    expectUntouched(request, result);
    for (const part of has) expect(result).toContain(part);
    for (const part of lacks) expect(result).not.toContain(part);
  });

  it('has thirty cases, and knows what does not parse', () => {
    expect(CASES).toHaveLength(30);
    expect(syntaxErrors('f(;', 'javascript')).not.toEqual([]);
  });
});
