/** A model as a user chooses it: from what other programs left on the machine. */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { embeddedModelPath } from '../../core/engine/binding';
import { launchChromium } from '../../scripts/editor/chromium.mjs';
import { LOGS, ROOT } from '../../scripts/paths.mjs';
import { GREEDY_LINE, writeBigramModel } from '../models/bigram_model';
import { EditorPage } from './editor_page';

const PATIENCE = { timeout: 45_000, interval: 50 };
const COMMAND = 'Emberline: Choose Model';

const place = { editorUrl: inject('editorUrl'), workspace: inject('workspace') };
/** The editor's `XDG_CACHE_HOME`, and so where llama.cpp would keep its models. */
const cache = join(inject('scratch'), 'llama.cpp');

let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
  mkdirSync(cache, { recursive: true });
  await writeBigramModel(join(cache, 'bigram-q8_0.gguf'), embeddedModelPath(ROOT));
  copyFileSync(embeddedModelPath(ROOT), join(cache, 'copy-135M.gguf'));
  writeFileSync(join(cache, 'letter.gguf'), 'Dear model, you are none.\n'.repeat(100));
});

afterAll(async () => {
  rmSync(cache, { recursive: true, force: true });
  await browser.close();
});

it('is found, told about, tried and used', async () => {
  const context = await browser.newContext({ viewport: { width: 1100, height: 700 } });
  const editor = await EditorPage.open(context, place, 'choose.txt', 'x = ');
  const rows = editor.page.locator('.quick-input-list .monaco-list-row');
  await editor.run(COMMAND);
  for (const [name, says] of [
    ['bigram-q8_0', /takes [\d.]+ MB with 2048 tokens · about [\d.]+ tokens\/s · does not fill in/],
    ['copy-135M', /with 4480 tokens .* fills in the middle/],
    ['The model that comes with Emberline', /in use/],
    ['letter', /not a GGUF model/],
  ] as const) {
    await rows.filter({ hasText: name }).filter({ hasText: says }).first().waitFor();
  }
  await editor.page.screenshot({ path: join(LOGS, 'e2e-choose-model.png') });
  await editor.pick('bigram-q8_0');
  await editor.waitForModel('bigram');
  await editor.focus();
  await editor.press('Control+End');
  await editor.press('Alt+\\');
  await expect.poll(() => editor.ghostText(), PATIENCE).toBe(GREEDY_LINE);
  await editor.press('Escape');
  await editor.run(COMMAND);
  await editor.pick('The model that comes with Emberline');
  await editor.waitForModel('Emberline');
});
