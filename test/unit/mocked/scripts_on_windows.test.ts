/** What the scripts do on Windows, told on any system. */
import { beforeAll, afterAll, expect, it } from 'vitest';

const here = process.platform;
beforeAll(() => {
  Object.defineProperty(process, 'platform', { value: 'win32' });
});
afterAll(() => {
  Object.defineProperty(process, 'platform', { value: here });
});

it('asks for no compiler of Debian to build', async () => {
  const { FOR_BUILDING } = await import('../../../scripts/setup/debian_packages.mjs');
  expect(FOR_BUILDING.map(({ provides }) => provides)).toEqual(['CMake']);
});
