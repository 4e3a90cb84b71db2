/**
 * What a user came for: type, see grey text, take it or leave it. The suggestion itself is the model's; the tests know it
 * from the terminal program, which must say what the editor shows. Each test ends with the saved file, byte by byte.
 */
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { type EditorPage, PATIENCE } from './editor_page';
import { sharedWindow } from './shared_window';
import { completionBetween } from './terminal';

/** How long a suggestion may take to appear or to go; on an idle machine it is well under a second. */

/** What is asked again is soon there: each question takes back the one before. */
const ANSWER_MS = 1_500;

const window = sharedWindow({ width: 1200, height: 700 });
const expectedFolder = join(inject('scratch'), 'expected');

/** Something to type, and what the editor makes of it: it indents new lines and closes brackets by itself. */
interface Scene {
  readonly name: string;
  /** In the file from the start. */
  readonly before: string;
  readonly typed: string;
  /** What then stands left of the cursor after `before`, and what right of it. */
  readonly left: string;
  readonly right: string;
}

const PYTHON: Scene = {
  name: 'addition.py',
  before: '"""Arithmetic."""\n\n\n',
  typed: 'def add(a, b):\nreturn ',
  left: 'def add(a, b):\n    return ',
  right: '',
};
const TYPESCRIPT: Scene = {
  name: 'square.ts',
  before: 'export function double(x: number): number {\n  return x * 2;\n}\n\n',
  typed: 'export function square(x: number): number {\nreturn ',
  left: 'export function square(x: number): number {\n  return ',
  right: '\n}',
};
const WINDOWS_LINES: Scene = {
  ...PYTHON,
  name: 'windows.py',
  before: PYTHON.before.replaceAll('\n', '\r\n'),
  left: PYTHON.left.replaceAll('\n', '\r\n'),
};

let editor: EditorPage;

/** Types the scene and waits until the editor shows what the terminal program says; gives that text. */
async function play(scene: Scene): Promise<string> {
  const expected = completionBetween(expectedFolder, scene.name, scene.before + scene.left, scene.right);
  // More than a word, so that there is a first word to take and a rest to leave.
  expect(expected).toMatch(/\w.*\W.*\w/);
  editor = await window.open(scene.name, scene.before);
  await editor.type(scene.typed);
  await ghostIs(expected);
  return expected;
}

async function ghostIs(text: string): Promise<void> {
  await expect.poll(() => editor.ghostText(), PATIENCE).toBe(text);
}

/** Saves, and compares the file with the scene in which `taken` was accepted. */
async function savedFileHas(scene: Scene, taken: string): Promise<void> {
  expect(await editor.savedText()).toBe(scene.before + scene.left + taken + scene.right);
}

it.each([PYTHON, TYPESCRIPT, WINDOWS_LINES])('Tab accepts the whole suggestion: $name', async (scene) => {
  const suggestion = await play(scene);
  await editor.press('Tab');
  await savedFileHas(scene, suggestion);
});

it('Ctrl+Right accepts a word and leaves the rest', async () => {
  const suggestion = await play(PYTHON);
  await editor.press('Control+ArrowRight');
  // Where a word ends is the editor's business; that nothing is lost or doubled is ours.
  await expect.poll(() => editor.ghostText(), PATIENCE).not.toBe(suggestion);
  const rest = await editor.ghostText();
  expect(rest).not.toBe('');
  expect(suggestion.endsWith(rest)).toBe(true);
  await savedFileHas(PYTHON, suggestion.slice(0, -rest.length));
});

it('Alt+] shows another suggestion, and Tab takes that', async () => {
  const scene = {
    ...PYTHON,
    name: 'imports.py',
    before: '',
    typed: 'import os\nimport ',
    left: 'import os\nimport ',
  };
  editor = await window.open(scene.name, scene.before);
  await editor.type(scene.typed);
  await expect.poll(() => editor.ghostText(), PATIENCE).not.toBe('');
  const first = await editor.ghostText();
  await editor.press('Alt+]');
  await expect.poll(() => editor.ghostText(), PATIENCE).not.toBe(first);
  const second = await editor.ghostText();
  expect(second).not.toBe('');
  await editor.picture('another');
  await editor.press('Tab');
  await savedFileHas(scene, second);
});

it('Alt+\\ asks again where a suggestion is shown: for all of it, or for others', async () => {
  editor = await window.open('others.py', '');
  await editor.type('import os\nimport ');
  await expect.poll(() => editor.ghostText(), PATIENCE).not.toBe('');
  const first = await editor.ghostText();
  const another = async (): Promise<boolean> => {
    await editor.press('Alt+Backslash');
    await editor.page.waitForTimeout(ANSWER_MS);
    return !['', first].includes(await editor.ghostText());
  };
  await expect.poll(another, PATIENCE).toBe(true);
  await editor.save();
});

it('Escape dismisses the suggestion, which does not come back when a key is taken back', async () => {
  const suggestion = await play(PYTHON);
  await editor.press('Escape');
  await ghostIs('');
  await savedFileHas(PYTHON, '');
  await editor.type('b');
  await expect.poll(() => editor.ghostText(), PATIENCE).not.toBe('');
  await editor.press('Backspace');
  await ghostIs('');
  // Who asks sees it.
  await editor.press('Alt+Backslash');
  await ghostIs(suggestion);
});

it('typing along a suggestion keeps the rest of it on screen', async () => {
  const suggestion = await play(PYTHON);
  const along = suggestion.slice(0, 3);
  for (let typed = 1; typed <= along.length; typed++) {
    await editor.type(along.charAt(typed - 1));
    await ghostIs(suggestion.slice(typed));
  }
  await savedFileHas(PYTHON, along);
});

it('typing something else replaces the suggestion', async () => {
  const suggestion = await play(PYTHON);
  const other = suggestion.startsWith('-') ? '+' : '-';
  await editor.type(other);
  await expect.poll(() => editor.ghostText(), PATIENCE).not.toBe(suggestion);
  await savedFileHas(PYTHON, other);
});
