/** Every socket of an editor that is worked in is written down: none is of a network before somebody asks for something that is elsewhere. */
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CATALOGUE, type CatalogueModel } from '../../core/models/catalogue';
import { launchChromium } from '../../scripts/editor/chromium.mjs';
import { installExtension, startCodeServer } from '../../scripts/editor/code_server.mjs';
import { createProfile } from '../../scripts/editor/profile.mjs';
import { LOGS, SAMPLES, vsixPath } from '../../scripts/paths.mjs';
import { Progress } from '../../scripts/progress.mjs';
import { ensureCodeServer } from '../../scripts/setup/code_server.mjs';
import { EditorPage } from './editor_page';
import { startMirror } from './model_mirror';
import { networkUses, recording, socketsIn } from './sockets/socket_record';

const PATIENCE = { timeout: 45_000, interval: 50 };
/** As in the name of the folder in which an editor keeps it. */
const EXTENSION = 'emberline.emberline-';

/** Somebody asks for it in the end. */
const [MODEL] = CATALOGUE as readonly [CatalogueModel, ...CatalogueModel[]];

type Started = Awaited<ReturnType<typeof start>>;
let browser: Browser;
let editorOf: Started;

/** An editor of its own, as it comes but for what this test types into, with the record. */
async function start() {
  const codeServer = await ensureCodeServer(new Progress());
  // Nobody fetches more than what it says of the file.
  const mirror = await startMirror(MODEL, Buffer.from('no model'));
  const settings = {
    'files.autoSave': 'off',
    'git.enabled': false,
    'emberline.model.mirror': mirror.address,
  };
  const profile = createProfile(SAMPLES, settings);
  const record = join(profile.folder, 'sockets.jsonl');
  try {
    await installExtension(codeServer, profile, vsixPath(), join(LOGS, 'e2e-sockets-install.log'));
    const log = join(LOGS, 'e2e-sockets-server.log');
    const server = await startCodeServer(codeServer, profile, { log, ...recording(record) });
    return { profile, record, server, mirror };
  } catch (error) {
    await mirror.stop();
    profile.remove();
    throw error;
  }
}

beforeAll(async () => {
  browser = await launchChromium();
  editorOf = await start();
});
afterAll(async () => {
  await browser.close();
  await editorOf.server.stop();
  await editorOf.mirror.stop();
  editorOf.profile.remove();
});

it('opens no socket of a network for all that it does by itself, and one for what it is asked to fetch', async () => {
  const { profile, record, server, mirror } = editorOf;
  const place = { editorUrl: server.url, workspace: profile.workspace };
  const context = await browser.newContext({ viewport: { width: 1200, height: 700 } });
  const editor = await EditorPage.open(context, place, 'sockets.py', 'def add(a, b):\n    return ');
  await editor.press('Alt+\\');
  await expect.poll(() => editor.ghostText(), PATIENCE).not.toBe('');
  await editor.press('Tab');
  await editor.run('Emberline: Generate at Cursor');
  await editor.waitForStatus('Ready');
  await editor.run('Emberline: Choose Model');
  await editor.page
    .locator('.quick-input-list .monaco-list-row', { hasText: 'comes with Emberline' })
    .waitFor();
  await editor.press('Escape');
  await editor.run('Emberline: Report Issue');
  await editor.page.locator('.tab.active[data-resource-name="emberline-report.md"]').waitFor();
  await editor.showDashboard();
  // The record is one of this very editor: its extension host is in it, and how it speaks to the editor.
  const host = socketsIn(record).filter((use) => use.isExtensionHost);
  expect(host.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['loaded', 'pipe']));
  expect(networkUses(record, EXTENSION)).toEqual([]);

  await editor.run('Emberline: Download Model');
  await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: MODEL.name }).waitFor();
  expect(networkUses(record, EXTENSION)).toEqual([]);
  await editor.pick(MODEL.name);
  await editor.page.locator('.monaco-dialog-box', { hasText: 'is what 127.0.0.1' }).waitFor();
  const uses = networkUses(record, EXTENSION);
  expect(new Set(uses.map(({ kind, where }) => `${kind} ${where}`))).toEqual(
    new Set([`connection ${new URL(mirror.address).host}`]),
  );
  expect(uses.every(({ isExtensionHost }) => isExtensionHost)).toBe(true);
});
