/** Definitions in a few lines, and how those behind imports are found. */
import { describe, expect, it } from 'vitest';
import { definitionAt, definitionIn } from '../../core/completion/definition_text';
import { snapshotOfText } from '../../core/completion/document';
import { type Definition, importedDefinitions, mostUseful } from '../../core/completion/imported_definitions';

const PYTHON = `"""Orders."""
LIMIT: int = 10
TABLE = {
    'a': 1,
}

def total(
    lines: list[Line],
    tax: float = 0.0,
) -> float:
    """Adds up."""
    return sum(line.price for line in lines) * (1 + tax)

async def fetch(id): return await load(id)

class Order(Base):
    """An order.

    count: not a member
    """

    id: int
    _secret = 1

    def __init__(self, id: int,
                 lines: list[Line]) -> None:
        self.id = id

    @property
    def price(self) -> float:
        return total(self.lines)

    def _hidden(self):
        pass
`;

const SCRIPT = `export const LIMIT = 10;
export const twice = (value: number): number => {
  return 2 * value;
};
export async function load<T>(id: string): Promise<T> {
  return fetch(id);
}
/** Not a member. */
export abstract class Order extends Base {
  readonly id: string;
  private secret = 1;
  #count = 0;

  constructor(id: string) {
    super(id);
  }

  price(tax: number): number {
    if (tax > 0) {
      return 1;
    }
    return 0;
  }
}
export interface Line { a: number }
export type Kind = 'a' | 'b';
export default Order;
exports.old = function old(a) {
`;

describe('a definition in a few lines', () => {
  it.each([
    ['LIMIT', 'LIMIT: int = 10\n'],
    ['TABLE', 'TABLE = {\n'],
    ['total', 'def total(\n    lines: list[Line],\n    tax: float = 0.0,\n) -> float: ...\n'],
    ['fetch', 'async def fetch(id): return await load(id)\n'],
    [
      'Order',
      'class Order(Base):\n    id: int\n    def __init__(self, id: int,\n                 lines: list[Line]) -> None: ...\n    def price(self) -> float: ...\n',
    ],
  ])('of Python: %s', (name, text) => {
    expect(definitionIn(PYTHON, name, 'python')).toBe(text);
  });

  it.each([
    ['LIMIT', 'export const LIMIT = 10;\n'],
    ['twice', 'export const twice = (value: number): number =>;\n'],
    ['load', 'export async function load<T>(id: string): Promise<T>;\n'],
    [
      'Order',
      'export abstract class Order extends Base {\n  readonly id: string;\n  constructor(id: string);\n  price(tax: number): number;\n}\n',
    ],
    ['Line', 'export interface Line { a: number }\n'],
    ['Kind', "export type Kind = 'a' | 'b';\n"],
    [
      'default',
      'export abstract class Order extends Base {\n  readonly id: string;\n  constructor(id: string);\n  price(tax: number): number;\n}\n',
    ],
    ['old', 'exports.old = function old(a);\n'],
  ])('of TypeScript: %s', (name, text) => {
    expect(definitionIn(SCRIPT, name, 'typescript')).toBe(text);
  });

  it.each(['order', 'price', 'missing', 'a.b', '('])(
    'is none of what is not defined outermost: %s',
    (name) => {
      expect(definitionIn(PYTHON, name, 'python')).toBeUndefined();
      expect(definitionIn(SCRIPT, name, 'javascript')).toBeUndefined();
    },
  );

  it.each([
    ['export default function run(a) {\n}\n', 'export default function run(a);\n'],
    [
      'module.exports = class Order {\n  price(tax) {\n  }\n}\n',
      'module.exports = class Order {\n  price(tax);\n}\n',
    ],
    ['module.exports = total\nfunction total(a) {\n}\n', 'function total(a);\n'],
    ['export default missing;\n', undefined],
    ['export default default;\n', 'export default default;\n'],
  ])('is what a module stands for: %j', (text, expected) => {
    expect(definitionIn(text, 'default', 'javascript')).toBe(expected);
  });

  it('is that of any language where somebody knows its line', () => {
    const go =
      'package shop\n\ntype Order struct {\n\tID int\n\tLines []Line\n}\n\nfunc Total(o Order) int {\n\treturn 0\n}\n';
    expect(definitionAt(go, 2)).toBe('type Order struct {\n\tID int\n\tLines []Line\n}\n');
    expect(definitionAt(go, 7)).toBe('func Total(o Order) int;\n');
    expect(definitionAt(go, 1)).toBeUndefined();
    expect(definitionAt(go, 99)).toBeUndefined();
  });

  it('is looked for in little time, whatever the text is', () => {
    const blanks = ' '.repeat(100_000);
    for (const start of ['function', 'export default', 'class', 'exports', 'x:', 'async']) {
      for (const language of ['javascript', 'python']) {
        expect(definitionIn(`${start}${blanks}!\n`.repeat(2), 'x', language)).toBeUndefined();
      }
    }
  });

  it('ends, whatever the text is', () => {
    for (const text of [
      'class A:',
      'class A {',
      'def f(((',
      'class A:\n  """never closed\n  x',
      'interface A {\n'.repeat(50),
    ])
      expect(definitionAt(text, 0)?.length).toBeLessThan(2_000);
    const long = `class A:\n${'    x = 1\n'.repeat(10_000)}`;
    expect(definitionAt(long, 0)?.split('\n').length).toBeLessThan(20);
  });
});

describe('the definitions behind imports', () => {
  const FILES: Readonly<Record<string, string>> = {
    'shop/order.py': PYTHON,
    'shop/__init__.py': 'from .order import Order, total as sum_up\n',
    'shop/loop.py': 'from .loop import thing\n',
    'lib/order.ts': SCRIPT,
    'lib/index.ts': "export { Order, load as fetchIt } from './order.js';\n",
  };

  async function found(
    path: string,
    languageId: string,
    text: string,
  ): Promise<(readonly [string, string])[]> {
    const read: string[] = [];
    const definitions = await importedDefinitions({ path, languageId, text }, (one) => {
      read.push(one);
      return Promise.resolve(FILES[one]);
    });
    expect(new Set(read).size).toBe(read.length);
    return definitions.map((one) => [one.name, `${one.path}: ${one.text.split('\n')[0] ?? ''}`] as const);
  }

  it.each([
    [
      'from .order import Order as O, fetch',
      [
        ['O', 'shop/order.py: class Order(Base):'],
        ['fetch', 'shop/order.py: async def fetch(id): return await load(id)'],
      ],
    ],
    ['from shop.order import LIMIT', [['LIMIT', 'shop/order.py: LIMIT: int = 10']]],
    ['from shop import sum_up', [['sum_up', 'shop/order.py: def total(']]],
    [
      'from . import order\norder.fetch(1)',
      [['fetch', 'shop/order.py: async def fetch(id): return await load(id)']],
    ],
    [
      'import shop.order as o\no.fetch(o.LIMIT)',
      [
        ['fetch', 'shop/order.py: async def fetch(id): return await load(id)'],
        ['LIMIT', 'shop/order.py: LIMIT: int = 10'],
      ],
    ],
    ['from .loop import thing', []],
    ['import os\nos.getcwd()', []],
    ['from .cart import cart', []],
  ])('of Python are found in the project: %s', async (text, expected) => {
    expect(await found('shop/cart.py', 'python', text)).toEqual(expected);
  });

  it.each([
    [
      "import { Order, Kind as K } from './order.js';",
      [
        ['Order', 'lib/order.ts: export abstract class Order extends Base {'],
        ['K', "lib/order.ts: export type Kind = 'a' | 'b';"],
      ],
    ],
    [
      "import { fetchIt } from '.';",
      [['fetchIt', 'lib/order.ts: export async function load<T>(id: string): Promise<T>;']],
    ],
    [
      "import * as order from './order';\norder.load('1');",
      [['load', 'lib/order.ts: export async function load<T>(id: string): Promise<T>;']],
    ],
    ["import fs from 'node:fs';", []],
  ])('of TypeScript are found in the project: %s', async (text, expected) => {
    expect(await found('lib/cart.ts', 'typescript', text)).toEqual(expected);
  });
});

describe('the most useful definitions', () => {
  const define = (name: string): Definition => ({
    kind: 'definition',
    name,
    path: 'b.py',
    languageId: 'python',
    text: `def ${name}(): ...\n`,
  });

  function useful(text: string): readonly string[] {
    const offset = text.indexOf('|');
    const plain = text.replace('|', '');
    const source = { uri: 'u', path: 'a.py', languageId: 'python', text: plain, offset };
    return mostUseful(['far', 'near', 'unused', 'below'].map(define), snapshotOfText(source)).map(
      ({ name }) => name,
    );
  }

  it('are those used nearest to the cursor, then those that wait to be used', () => {
    const imports = 'from b import far, near, unused, below\n';
    const gap = '\n'.repeat(40);
    expect(useful(`${imports}far()\n${gap}near()\n\n|\n\n\nbelow()\n`)).toEqual(['near', 'below', 'unused']);
    expect(useful(`${imports}nearby = unused_too\n|`)).toEqual(['far', 'near', 'unused', 'below']);
  });
});
