/** Pages that promise something name the test that holds it: those tests are there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
/** Folders of tests, by the names that the pages have for them. */
const FOLDERS: Readonly<Record<string, string>> = {
  unit: 'test/unit',
  integration: 'test/integration',
  deep: 'test/deep',
  e2e: 'test/e2e',
  native: 'test/native',
  'metal-sim': 'test/metal-sim/tests',
  vscode: 'test/vscode/suite',
  'vscode/load': 'test/vscode/load',
};
const NAMED = /`((?:unit|integration|deep|e2e|native|metal-sim|vscode)\/[\w/]+)`/g;

function namedIn(page: string): string[] {
  return [...readFileSync(join(ROOT, page), 'utf8').matchAll(NAMED)].map(([, name = '']) => name);
}

/** Whether it is a folder, or some tests' names begin with it. */
function isThere(name: string): boolean {
  const kind = Object.keys(FOLDERS)
    .filter((folder) => name.startsWith(`${folder}/`))
    .reduce((longest, folder) => (folder.length > longest.length ? folder : longest), '');
  const path = join(ROOT, FOLDERS[kind] ?? '', name.slice(kind.length));
  if (existsSync(path)) return true;
  const folder = dirname(path);
  if (!existsSync(folder)) return false;
  return readdirSync(folder).some(
    (file) => file.startsWith(basename(path)) && /[._]test\.(?:ts|cpp|mm)$/.test(file),
  );
}

describe.each([
  ['ARCHITECTURE.md', 10],
  ['SECURITY.md', 10],
  ['docs/reliability.md', 10],
  ['docs/privacy.md', 2],
])('%s', (page, fewer) => {
  it('names tests', () => {
    expect(namedIn(page).length).toBeGreaterThan(fewer);
  });

  it.each(namedIn(page))('names one that is there: %s', (name) => {
    expect(isThere(name)).toBe(true);
  });
});

it('a test that is not there is found missing', () => {
  expect(isThere('unit/no_such_promise')).toBe(false);
  expect(isThere('native/nowhere/packed_copy')).toBe(false);
});
