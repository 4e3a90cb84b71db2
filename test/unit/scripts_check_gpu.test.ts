/** What CI makes of a GPU that is not there, or not taken. */
import { expect, it } from 'vitest';
import { isTaken } from '../../scripts/check_gpu.mjs';

const UNAVAILABLE = "DEVICE_UNAVAILABLE: The GPU is too old; choose the device 'cpu'.\n";

it('is glad of one that completes', () => {
  expect(isTaken({ status: 0, stderr: '' }, true)).toBe(true);
});

it('does without one that is not there, where none is required', () => {
  expect(isTaken({ status: 1, stderr: UNAVAILABLE }, false)).toBe(false);
  expect(() => isTaken({ status: 1, stderr: UNAVAILABLE }, true)).toThrow('DEVICE_UNAVAILABLE');
});

it.each(['DEVICE_FAILED: The kernels did not compile.\n', 'ADDON_NOT_LOADED: It is not built.\n', ''])(
  'takes %j for a failure in any case',
  (stderr) => {
    for (const required of [false, true])
      expect(() => isTaken({ status: stderr === '' ? null : 1, stderr }, required)).toThrow();
  },
);
