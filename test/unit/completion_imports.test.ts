/** What files import, and where that may lie. */
import { describe, expect, it } from 'vitest';
import { pathsOfModule } from '../../core/completion/import_paths';
import { importedNames, importsOf } from '../../core/completion/imports';

describe('imports', () => {
  it.each([
    ['from .models import Order, Line as L', '.models', { Order: 'Order', Line: 'L' }],
    ['from a.b import (\n    c,  # why\n    d as e,\n)', 'a.b', { c: 'c', d: 'e' }],
    ['from a import b, \\\n    c', 'a', { b: 'b', c: 'c' }],
    ['    from .. import models', '..', { models: 'models' }],
    ['from a import *', 'a', {}],
  ])('of Python name what they take: %s', (line, module, names) => {
    expect(taken(line, 'python')).toEqual([[module, names, undefined]]);
  });

  it('of Python may take modules', () => {
    expect(taken('import os, a.b, numpy as np\n', 'python')).toEqual([
      ['os', {}, 'os'],
      ['a.b', {}, 'a.b'],
      ['numpy', {}, 'np'],
    ]);
  });

  it.each([
    ["import { a, b as c, type D } from './x';", './x', { a: 'a', b: 'c', D: 'D' }, undefined],
    ["import {\n  a,\n  b,\n} from '../x.js';", '../x.js', { a: 'a', b: 'b' }, undefined],
    ["import type { A } from './x';", './x', { A: 'A' }, undefined],
    ["import whole from './x';", './x', { default: 'whole' }, undefined],
    ["import whole, { a } from './x';", './x', { default: 'whole', a: 'a' }, undefined],
    ["import * as all from './x';", './x', {}, 'all'],
    ["export { a } from './x';", './x', { a: 'a' }, undefined],
    ["const { a, b: c } = require('./x');", './x', { a: 'a', b: 'c' }, undefined],
    ["const x = require('./x');", './x', { default: 'x' }, 'x'],
  ])('of scripts name what they take: %s', (line, module, names, namespace) => {
    for (const language of ['javascript', 'typescriptreact']) {
      expect(taken(line, language)).toEqual([[module, names, namespace]]);
    }
  });

  it.each<[string, Readonly<Record<string, readonly string[]>>]>([
    ['import a', { python: ['a'], java: ['a'] }],
    ['import', {}],
    ['export type', {}],
    ['from ', {}],
    ['const x', {}],
    ['import { a', { java: ['a'] }],
    ['import *', {}],
    ['from a import b', { python: ['b'] }],
    [`from ${'.'.repeat(20_000)}`, {}],
  ])('are read in little time, whatever the text is (%#)', (line, names) => {
    for (const language of ['typescript', 'python', 'java']) {
      for (const text of [`${line}${' '.repeat(20_000)}!`, `${line}\n`.repeat(2_000)])
        expect(importedNames(text, language)).toEqual(names[language] ?? []);
    }
  });

  it.each<[string, string, readonly string[]]>([
    ['python', 'import a.b\nfrom c import d as e\n', ['e', 'a.b']],
    ['java', 'import java.util.List;\nimport static a.B.run;\n', ['List', 'run']],
    ['rust', 'use crate::shop::{Order, line::Line};\nuse std::fmt;\n', ['Order', 'Line', 'fmt']],
    ['csharp', 'using Shop.Orders;\n', ['Orders']],
    ['markdown', 'Use it.\n', []],
  ])('have names in %s', (language, text, names) => {
    expect(importedNames(text, language)).toEqual(names);
  });

  function taken(text: string, language: string): unknown[] {
    return importsOf(text, language).map(({ module, names, namespace }) => [
      module,
      Object.fromEntries(names.map(({ name, local }) => [name, local])),
      namespace,
    ]);
  }
});

describe('the files of a module', () => {
  it.each<[string, string, readonly string[]]>([
    ['.b', 'p/q/a.py', ['p/q/b.py', 'p/q/b/__init__.py', 'p/q/b.pyi']],
    ['..b.c', 'p/q/a.py', ['p/b/c.py', 'p/b/c/__init__.py', 'p/b/c.pyi']],
    ['.', 'p/a.py', ['p.py', 'p/__init__.py', 'p.pyi']],
    ['...b', 'p/a.py', []],
    ['', 'p/a.py', []],
  ])('of Python lie where %j says, seen from %s', (module, path, expected) => {
    expect(pathsOfModule(module, path, 'python')).toEqual(expected);
  });

  it('of Python lie in any folder around, or in src', () => {
    const paths = pathsOfModule('shop.order', 'tests/unit/a.py', 'python');
    expect(paths).toEqual(
      ['tests/unit/', 'tests/', '', 'src/'].flatMap((root) =>
        ['.py', '/__init__.py', '.pyi'].map((ending) => `${root}shop/order${ending}`),
      ),
    );
  });

  it.each<[string, string, readonly string[]]>([
    ['./b.ts', 'p/a.ts', ['p/b.ts']],
    ['../b.js', 'p/a.ts', ['b.ts', 'b.js']],
    ['./b.mjs', 'a.mts', ['b.mts', 'b.mjs']],
    ['../../b', 'p/a.ts', []],
    ['react', 'p/a.ts', []],
    ['/etc/passwd', 'p/a.ts', []],
  ])('of scripts lie where %j says, seen from %s', (module, path, expected) => {
    expect(pathsOfModule(module, path, 'typescript')).toEqual(expected);
  });

  it('of scripts have any ending, or are a folder', () => {
    const endings = ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs'];
    expect(pathsOfModule('./b', 'p/a.js', 'javascript')).toEqual(
      ['p/b', 'p/b/index'].flatMap((path) => endings.map((ending) => `${path}.${ending}`)),
    );
  });
});
