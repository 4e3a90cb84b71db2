/**
 * The extension host is killed at random moments, while a model is loaded, writes, is downloaded, or files are written: text stays, the
 * extension comes back and says what it said before, and nothing is left that is half or blocks. `EMBERLINE_KILLS=N` for more of them or
 * fewer; `EMBERLINE_KILLS_SEED=N` for other moments.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { SeededRandom } from '../../../bench/random';
import { embeddedModelPath } from '../../../core/engine/binding';
import { CATALOGUE, type CatalogueModel } from '../../../core/models/catalogue';
import { partOf } from '../../../core/models/download/part_files';
import { storedPath } from '../../../core/models/stored_models';
import { ROOT } from '../../../scripts/paths.mjs';
import { writeBigramModel } from '../../models/bigram_model';
import { filesWith } from '../../vscode/suite/files_with';
import { EditorPage } from '../editor_page';
import { type ModelMirror, startMirror } from '../model_mirror';
import { extensionHosts, type OwnEditor, processesOf, startOwnEditor } from '../own_editor';
import { completionBetween } from '../terminal';

const KILLS = Number(process.env['EMBERLINE_KILLS'] ?? 8);
const SEED = Number(process.env['EMBERLINE_KILLS_SEED'] ?? 1);
/** One kill and all that is looked at after it. */
const MOST_MS = 120_000;
const PATIENCE = { timeout: 60_000, interval: 50 };

/** What runs when it is killed, and so long after it began at most, ms. */
const WORK = { load: 2_500, complete: 600, download: 1_500, write: 400 } as const;
type Work = keyof typeof WORK;
const KINDS = Object.keys(WORK) as Work[];

/** At so many crashes within five minutes a window asks before it starts another host; opened anew, it begins to count. */
const ASKED_AT = 3;

/** Slow enough to be met while it runs. */
const PIECE_MS = 40;
const PIECE_BYTES = 65_536;

const [MODEL] = CATALOGUE as readonly [CatalogueModel, ...CatalogueModel[]];

let own: OwnEditor;
let mirror: ModelMirror;
/** Hosts of the window as it is open now. */
let killed = 0;

beforeAll(async () => {
  const toy = join(inject('scratch'), 'killed.gguf');
  await writeBigramModel(toy, embeddedModelPath(ROOT));
  mirror = await startMirror(MODEL, readFileSync(toy), { pieceBytes: PIECE_BYTES, pieceMs: PIECE_MS });
  rmSync(toy);
  const settings = {
    // What is typed is what stands there.
    'editor.autoClosingBrackets': 'never',
    'editor.autoIndent': 'none',
    'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
    'emberline.model.mirror': mirror.address,
  };
  own = await startOwnEditor('killed', settings);
});
afterAll(async () => {
  // First, as it is there where the editor did not start.
  await mirror.stop();
  await own.stop();
});

/** Brings an extension host to where it is to be killed. */
async function begin(work: Work, editor: EditorPage, text: string): Promise<void> {
  if (work === 'load' || work === 'write') {
    // There is one to be made, and a record to be written.
    for (const name of ['packed', 'loads']) rmSync(join(own.storage, name), { recursive: true, force: true });
  }
  const killsOfIt = work === 'write' ? 2 : 1;
  if (work === 'load' || killed + killsOfIt >= ASKED_AT) {
    await reload(editor, text);
    if (work !== 'load') await editor.waitForStatus('Ready');
    if (work === 'complete') await atEnd(editor);
  }
  killed += killsOfIt;
  if (work === 'write') {
    const written = somethingWritten();
    const hosts = extensionHosts(own);
    hosts.forEach(kill);
    await isThere(hosts);
    await written;
  }
  if (work === 'complete') await editor.press('Alt+\\');
  if (work === 'download' && !existsSync(storedPath(join(own.storage, 'models'), MODEL))) {
    const dialog = editor.page.locator('.monaco-dialog-box');
    await editor.run('Emberline: Download Model');
    await editor.pick(MODEL.name);
    await dialog.filter({ hasText: 'is what 127.0.0.1' }).waitFor();
    await dialog.getByRole('button', { name: /^(Download|Go On)$/ }).click();
  }
}

/** Settles with the next file that is begun or finished where the extension keeps what it keeps. */
async function somethingWritten(): Promise<void> {
  mkdirSync(own.storage, { recursive: true });
  await new Promise<void>((resolve) => {
    const watcher = watch(own.storage, { recursive: true }, () => {
      watcher.close();
      resolve();
    });
  });
}

/** Opens the window anew, with what it has of `text` in its backup. */
async function reload(editor: EditorPage, text: string): Promise<void> {
  // The editor writes it a second after the last key.
  const backups = own.place.backups;
  await expect.poll(() => filesWith(backups, text).length, PATIENCE).toBeGreaterThan(0);
  const before = extensionHosts(own);
  await editor.page.reload({ waitUntil: 'domcontentloaded' });
  // The one of the page that is gone may take a moment, and must not be taken for the new one.
  await expect.poll(() => extensionHosts(own).filter((id) => !before.includes(id)).length, PATIENCE).toBe(1);
  for (const id of before) kill(id);
  killed = 0;
}

async function atEnd(editor: EditorPage): Promise<void> {
  await editor.focus();
  await editor.press('Control+End');
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Waits until the window has a new one, which it starts by itself. */
async function isThere(killed: readonly number[]): Promise<void> {
  await expect.poll(() => extensionHosts(own).filter((id) => !killed.includes(id)).length, PATIENCE).toBe(1);
}

/** What is kept is whole: each file of JSON can be read, and nothing has another's name. */
function keptFilesAreWhole(): void {
  if (!existsSync(own.storage)) return;
  for (const entry of readdirSync(own.storage, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.json')) continue;
    const path = join(entry.parentPath, entry.name);
    expect(() => JSON.parse(readFileSync(path, 'utf8')) as unknown, path).not.toThrow();
  }
}

it(
  `${KILLS} kills of seed ${SEED} lose no text, leave nothing half, and the extension is back each time`,
  async () => {
    const random = new SeededRandom(SEED);
    const window = { viewport: { width: 1100, height: 700 } };
    let text = '"""Arithmetic."""\n\n';
    const editor = await EditorPage.open(own.place, 'killed.py', text, window);
    editor.page.on('dialog', (dialog) => void dialog.accept());
    for (let round = 0; round < KILLS; round++) {
      // Each kind in turn, from the first on, so that few of them are of every kind.
      const work = KINDS[round % KINDS.length] ?? 'load';
      const typed = `def add_${round}(a, b):\n    return `;
      await atEnd(editor);
      await editor.type(typed);
      text += typed;
      const ms = random.next() * WORK[work];
      await begin(work, editor, text);
      await delay(ms);
      const hosts = extensionHosts(own);
      hosts.forEach(kill);
      const which = `kill ${round}, ${Math.round(ms)} ms into ${work}`;
      await isThere(hosts);
      await editor.waitForStatus('Ready');
      keptFilesAreWhole();
      // Nobody saved it: it is what the window has, or its backup.
      await editor.press('Escape');
      expect(await editor.savedText(), which).toBe(text);
      await atEnd(editor);
      await editor.press('Alt+\\');
      await expect.poll(() => editor.ghostText(), PATIENCE).not.toBe('');
      if (round + 1 === KILLS) {
        const expected = completionBetween(join(inject('scratch'), 'killed'), 'killed.py', text, '');
        expect(await editor.ghostText()).toBe(expected);
      }
      await editor.press('Escape');
      await editor.type('a\n');
      text += 'a\n';
    }
    // What was begun is finished.
    const stored = storedPath(join(own.storage, 'models'), MODEL);
    await begin('download', editor, text);
    await expect.poll(() => existsSync(stored), PATIENCE).toBe(true);
    await editor.waitForModel('bigram');
    expect(existsSync(partOf(stored))).toBe(false);
    expect(readdirSync(dirname(stored))).toEqual([stored.slice(dirname(stored).length + 1)]);
    await expect.poll(() => processesOf(own, 'trial.cjs'), PATIENCE).toEqual([]);
    await editor.press('Escape');
    await editor.save();
  },
  MOST_MS * (KILLS + 1),
);
