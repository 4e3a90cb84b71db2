import { describe, expect, it } from 'vitest';
import { requestOf, requestOfAll } from '../../../core/edit/instruction';

const parameter = (given: object): object => ({
  kind: 'parameter',
  of: undefined,
  type: undefined,
  value: undefined,
  ...given,
});

describe('an instruction', () => {
  it.each([
    ['rename total to sum', 'total', 'sum'],
    ['Rename the variable `total` to `sum`.', 'total', 'sum'],
    ['please rename foo() to bar()', 'foo', 'bar'],
    ['rename $x -> größe', '$x', 'größe'],
    ['change the name of the function load to read_file', 'load', 'read_file'],
  ])('renames: %s', (instruction, from, to) => {
    expect(requestOf(instruction)).toEqual({ kind: 'rename', from, to });
  });

  it.each<[string, object]>([
    ['add a parameter timeout', { name: 'timeout' }],
    ['Add an optional parameter named timeout to fetch', { name: 'timeout', of: 'fetch' }],
    ['add a parameter verbose = False to the function run', { name: 'verbose', value: 'False', of: 'run' }],
    ['add a parameter timeout: number = 30', { name: 'timeout', type: 'number', value: '30' }],
    [
      'add an argument `mode` with default value "fast" to load()',
      { name: 'mode', value: '"fast"', of: 'load' },
    ],
    ['add a parameter to resize called scale of type float', { name: 'scale', type: 'float', of: 'resize' }],
    ['add parameter debug defaulting to false.', { name: 'debug', value: 'false' }],
  ])('adds a parameter: %s', (instruction, expected) => {
    expect(requestOf(instruction)).toEqual(parameter(expected));
  });

  it.each(['add a docstring', 'Write a doc comment for this', 'fill in the docstring', 'add JSDoc'])(
    'documents: %s',
    (instruction) => {
      expect(requestOf(instruction)).toEqual({ kind: 'docstring' });
    },
  );

  it.each([
    'make it faster',
    'rename it',
    'rename a to a',
    'return the sum instead',
    'add error handling',
    '',
  ])('is free: %s', (instruction) => {
    expect(requestOf(instruction)).toEqual({ kind: 'free' });
  });
});

describe('instructions, each of which wants the edit before it to be otherwise', () => {
  it.each([
    [['add a docstring', 'shorter'], { kind: 'docstring' }],
    [['rename a to b', 'rename a to c'], { kind: 'rename', from: 'a', to: 'c' }],
    [['add a parameter x', 'with a default of 10'], parameter({ name: 'x' })],
    [['add a docstring', 'rename a to b'], { kind: 'free' }],
    [['rename a to b', 'in strings as well'], { kind: 'free' }],
    [['add a docstring', 'rename a to b', 'add a docstring'], { kind: 'free' }],
    [['make it faster', 'shorter'], { kind: 'free' }],
    [[], { kind: 'free' }],
  ])('%j', (instructions, request) => {
    expect(requestOfAll(instructions)).toEqual(request);
  });
});
