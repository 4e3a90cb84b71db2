import { expect, it } from 'vitest';
import { contentProblems } from '../../scripts/package.mjs';

const WHOLE = [
  '[Content_Types].xml',
  'extension.vsixmanifest',
  'extension/package.json',
  'extension/readme.md',
  'extension/changelog.md',
  'extension/LICENSE.txt',
  'extension/THIRD_PARTY.md',
  'extension/dist/extension.cjs',
  'extension/dist/native/emberline.node',
  'extension/media/icon.png',
  'extension/models/SmolLM2-135M-Instruct.Q4_1.gguf',
  'extension/models/README.md',
  'extension/models/LICENSE',
  'extension/models/SHA256SUMS',
];

it('accepts a package that holds what it must', () => {
  expect(contentProblems(WHOLE)).toEqual([]);
});

it.each(WHOLE.slice(1))('misses %s', (name) => {
  expect(contentProblems(WHOLE.filter((other) => other !== name))).toEqual([
    `${name} is missing from the package.`,
  ]);
});

it.each([
  'extension/dist/extension.cjs.map',
  'extension/dist/cli.cjs',
  'extension/extension/main.ts',
  'extension/node_modules/commander/index.js',
  'extension/.env',
])('refuses %s', (name) => {
  expect(contentProblems([...WHOLE, name])).toEqual([`${name} does not belong in the package.`]);
});
