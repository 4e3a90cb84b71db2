/** Ghost text in package.json as a user sees it: a key that there is. */
import { expect, it } from 'vitest';
import packageSchema from '../../core/schema/bundled/package.json';
import { PATIENCE } from './editor_page';
import { sharedWindow } from './shared_window';

const BEFORE = '{\n  "name": "lamp",\n  "version": "1.0.0",\n  ';

const window = sharedWindow({ width: 1200, height: 700 });

it('offers a key of package.json that is not there yet', async () => {
  const editor = await window.open('package.json', BEFORE);
  await editor.type('"');
  await expect.poll(() => editor.ghostText(), PATIENCE).toMatch(/\w/);
  await editor.press('Tab');
  const saved = await editor.savedText();
  expect(saved.startsWith(BEFORE)).toBe(true);
  const key = /^"([^"]+)"/.exec(saved.slice(BEFORE.length))?.[1] ?? '';
  expect(Object.keys(packageSchema.properties), saved).toContain(key);
  expect(['name', 'version']).not.toContain(key);
});
