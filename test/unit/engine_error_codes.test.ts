import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NATIVE_ERROR_CODES } from '../../core/engine/native_result';

it('the error codes of the addon are those of the engine', () => {
  const source = readFileSync(join(import.meta.dirname, '../../native/base/status.cpp'), 'utf8');
  const names = [...source.matchAll(/return "([A-Z_]+)"/g)]
    .map((match) => match[1])
    .filter((name) => name !== 'OK');
  expect(new Set(names)).toEqual(new Set(NATIVE_ERROR_CODES));
});
