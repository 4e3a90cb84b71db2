/** How the stages of the tests run what they run, and count it. */
import { expect, it } from 'vitest';
import { UNDER_SANITIZERS } from '../../scripts/test/sanitized.mjs';

it('the folder for temporary files is asked for when a program is started, not when its stage is read', () => {
  expect(Object.keys(UNDER_SANITIZERS)).toEqual(['ASAN_OPTIONS', 'UBSAN_OPTIONS']);
});
