/** Every socket of an editor that is worked in is written down: none is of a network before somebody asks for something that is elsewhere. */
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { embeddedModelPath } from '../../core/engine/binding';
import { CATALOGUE, type CatalogueModel } from '../../core/models/catalogue';
import { ROOT } from '../../scripts/paths.mjs';
import { writeBigramModel } from '../models/bigram_model';
import { EditorPage, PATIENCE } from './editor_page';
import { type ModelMirror, startMirror } from './model_mirror';
import { type OwnEditor, startOwnEditor } from './own_editor';
import { networkUses, recording, socketsIn } from './sockets/socket_record';

/** As in the name of the folder in which an editor keeps it. */
const EXTENSION = 'emberline.emberline-';

/** Somebody asks for it in the end. */
const [MODEL] = CATALOGUE as readonly [CatalogueModel, ...CatalogueModel[]];

let mirror: ModelMirror;
/** As it comes but for what this test types into, with the record. */
let own: OwnEditor;

const recordOf = (profile: OwnEditor['profile']): string => join(profile.folder, 'sockets.jsonl');

beforeAll(async () => {
  // Nobody fetches more than what it says of the file.
  mirror = await startMirror(MODEL, Buffer.from('no model'));
  own = await startOwnEditor('sockets', { 'emberline.model.mirror': mirror.address }, (profile) =>
    recording(recordOf(profile)),
  );
  // Where llama.cpp keeps its models.
  const models = join(own.profile.temporary, 'llama.cpp');
  mkdirSync(models);
  await writeBigramModel(join(models, 'bigram-q8_0.gguf'), embeddedModelPath(ROOT));
});
afterAll(async () => {
  // First, as it is there where the editor did not start.
  await mirror.stop();
  await own.stop();
});

it('opens no socket of a network for all that it does by itself, and one for what it is asked to fetch', async () => {
  const record = recordOf(own.profile);
  const editor = await EditorPage.open(own.place, 'sockets.py', 'def add(a, b):\n    return ', {
    viewport: { width: 1200, height: 700 },
  });
  await editor.press('Alt+\\');
  await expect.poll(() => editor.ghostText(), PATIENCE).not.toBe('');
  await editor.press('Tab');
  await editor.run('Emberline: Generate at Cursor');
  await editor.waitForStatus('Ready');
  await editor.run('Emberline: Choose Model');
  await editor.pick('bigram-q8_0');
  await editor.waitForModel('bigram');
  await editor.run('Emberline: Report Issue');
  await editor.page.locator('.tab.active[data-resource-name="emberline-report.md"]').waitFor();
  await editor.showDashboard();
  // The record is one of this very editor: its extension host is in it, how it speaks to the editor, and the process that tried the model.
  const host = socketsIn(record).filter((use) => use.isExtensionHost);
  expect(host.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['loaded', 'pipe']));
  const loaded = socketsIn(record).filter(({ kind }) => kind === 'loaded');
  expect(loaded.map(({ where }) => basename(where))).toContain('trial.cjs');
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
