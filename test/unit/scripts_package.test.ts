import { expect, it } from 'vitest';
import { contentProblems } from '../../scripts/package.mjs';
import { embeddedModelName } from '../../scripts/paths.mjs';

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
