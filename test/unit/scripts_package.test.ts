import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { contentProblems, reproducible } from '../../scripts/package.mjs';
import { embeddedModelName } from '../../scripts/paths.mjs';
import { temporaryFolder } from '../temporary_folder';

afterEach(() => {
  vi.unstubAllEnvs();
});

const WHOLE = [
  '[Content_Types].xml',
  'extension.vsixmanifest',
  'extension/package.json',
  'extension/package.nls.json',
  'extension/package.nls.de.json',
  'extension/l10n/bundle.l10n.de.json',
  'extension/readme.md',
  'extension/changelog.md',
  'extension/LICENSE.txt',
  'extension/THIRD_PARTY.md',
  'extension/dist/extension.cjs',
  'extension/dist/trial.cjs',
  'extension/dist/template.cjs',
  'extension/dist/dashboard/page.js',
  'extension/dist/dashboard/page.css',
  'extension/dist/native/emberline.node',
  'extension/media/icon.png',
  `extension/models/${embeddedModelName()}`,
  'extension/models/README.md',
  'extension/models/LICENSE',
  'extension/models/NOTICES.md',
  'extension/models/SHA256SUMS',
];

it('accepts a package that holds what it must', () => {
  expect(contentProblems(WHOLE, 'linux-x64')).toEqual([]);
});

it.each(WHOLE.slice(1))('misses %s', (name) => {
  expect(
    contentProblems(
      WHOLE.filter((other) => other !== name),
      'linux-x64',
    ),
  ).toEqual([`${name} is missing from the package.`]);
});

it.each([
  'extension/dist/extension.cjs.map',
  'extension/dist/cli.cjs',
  'extension/dist/dashboard/page.js.map',
  'extension/extension/main.ts',
  'extension/node_modules/commander/index.js',
  'extension/.env',
])('refuses %s', (name) => {
  expect(contentProblems([...WHOLE, name], 'linux-x64')).toEqual([`${name} does not belong in the package.`]);
});

it('takes the compiled kernels of a GPU on macOS alone, and does without', () => {
  const kernels = 'extension/dist/native/emberline.metallib';
  expect(contentProblems([...WHOLE, kernels], 'darwin-arm64')).toEqual([]);
  expect(contentProblems(WHOLE, 'darwin-arm64')).toEqual([]);
  expect(contentProblems([...WHOLE, kernels], 'linux-x64')).toEqual([
    `${kernels} does not belong in the package.`,
  ]);
});

it('bears the time of the last commit, and is not made where git does not tell it', () => {
  vi.stubEnv('SOURCE_DATE_EPOCH', undefined);
  const root = temporaryFolder();
  expect(reproducible(root)['SOURCE_DATE_EPOCH']).toBe('315532800'); // 1980: no history
  writeFileSync(join(root, '.git'), 'gitdir: nowhere');
  expect(() => reproducible(root)).toThrow('git does not tell when the last commit was made');
  vi.stubEnv('SOURCE_DATE_EPOCH', '1700000000');
  expect(reproducible(root)['SOURCE_DATE_EPOCH']).toBe('1700000000');
});
