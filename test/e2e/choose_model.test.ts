/** A model as a user chooses it: from what other programs left on the machine, from the catalogue, and after a crash. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { embeddedModelPath } from '../../core/engine/binding';
import { CATALOGUE } from '../../core/models/catalogue';
import { LOGS, ROOT } from '../../scripts/paths.mjs';
import { ANY_LINE, writeBigramModel } from '../models/bigram_model';
import { EditorPage, PATIENCE } from './editor_page';
import { startMirror } from './model_mirror';
import { sharedWindow } from './shared_window';

const COMMAND = 'Emberline: Choose Model';

const window = sharedWindow({ width: 1100, height: 700 });
const place = inject('place');
/** The editor's `XDG_CACHE_HOME`, and so where llama.cpp would keep its models. */
const cache = join(inject('scratch'), 'llama.cpp');

/** Of the editor's profile, where it keeps settings and what belongs to extensions. */
const user = join(dirname(place.workspace), 'user');
const storage = join(user, 'User', 'globalStorage', 'emberline.emberline');
/** No process has such an id. */
const NO_PROCESS = 4_194_303;

beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  await writeBigramModel(join(cache, 'bigram-q8_0.gguf'), embeddedModelPath(ROOT));
  copyFileSync(embeddedModelPath(ROOT), join(cache, 'copy-135M.gguf'));
  writeFileSync(join(cache, 'letter.gguf'), 'Dear model, you are none.\n'.repeat(100));
});

afterAll(() => {
  rmSync(cache, { recursive: true, force: true });
});

it('is found, told about, tried and used', async () => {
  const editor = await window.open('choose.txt', 'x = ');
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
  await expect.poll(() => editor.ghostText(), PATIENCE).toMatch(ANY_LINE);
  await editor.press('Escape');
  await editor.run(COMMAND);
  await editor.pick('The model that comes with Emberline');
  await editor.waitForModel('Emberline');
});

/** Changes a settings file of the profile while `work` runs. */
async function withSetting(
  file: string,
  name: string,
  value: unknown,
  work: () => Promise<void>,
): Promise<void> {
  const path = join(user, file, 'settings.json');
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, JSON.stringify({ ...(JSON.parse(before) as object), [name]: value }));
  try {
    await work();
  } finally {
    writeFileSync(path, before);
  }
}

it('is downloaded when somebody says so, used and deleted', async () => {
  const [model] = CATALOGUE;
  if (model === undefined) throw new Error('The catalogue is empty.');
  const mirror = await startMirror(model, readFileSync(join(cache, 'bigram-q8_0.gguf')));
  try {
    await withSetting('User', 'emberline.model.mirror', mirror.address, async () => {
      const editor = await EditorPage.open(place, 'download.txt', 'x = ');
      const dialog = editor.page.locator('.monaco-dialog-box');
      await editor.run('Emberline: Download Model');
      await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Seed-Coder' }).waitFor();
      await editor.page.screenshot({ path: join(LOGS, 'e2e-download-model.png') });
      expect(mirror.asked).toEqual([]);
      await editor.pick(model.name);
      await dialog.filter({ hasText: 'is what 127.0.0.1' }).waitFor();
      expect(mirror.asked).toHaveLength(2);
      await dialog.getByRole('button', { name: 'Download' }).click();
      await editor.waitForModel('bigram');
      await editor.run('Emberline: Manage Models');
      const row = editor.page.locator('.quick-input-list .monaco-list-row', { hasText: model.name });
      await row.filter({ hasText: 'in use' }).hover();
      await row.locator('.codicon-trash').click();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await editor.waitForModel('Emberline');
      await editor.run('Emberline: Manage Models');
      await editor.page.locator('.quick-input-title', { hasText: '0 kB of models' }).waitFor();
      await editor.press('Escape');
    });
  } finally {
    await mirror.stop();
  }
});

it('is left out after a start at which it brought the extension host down', async () => {
  // A window that is open would try it too.
  await window.renew();
  const path = join(cache, 'copy-135M.gguf');
  const { size, mtimeMs } = statSync(path);
  const mark = join(storage, 'loads', `loading-${NO_PROCESS}-0.json`);
  writeFileSync(
    mark,
    JSON.stringify({ modelPath: path, draftPath: '', stamp: `${size} ${mtimeMs}`, at: Date.now() }),
  );
  try {
    await withSetting('Machine', 'emberline.model.path', path, async () => {
      const editor = await EditorPage.open(place, 'crashed.txt', 'x = ');
      // It goes from the corner of the window after a while, and stays in the list.
      await editor.run('Notifications: Show Notifications');
      const message = editor.page.locator('.notification-list-item', { hasText: 'was left out this time' });
      await message.first().waitFor();
      await message.first().getByRole('button', { name: 'Try Again' }).click();
      await expect.poll(() => statSync(mark, { throwIfNoEntry: false }), PATIENCE).toBeUndefined();
      await editor.waitForStatus('Ready');
    });
  } finally {
    rmSync(mark, { force: true });
  }
});
