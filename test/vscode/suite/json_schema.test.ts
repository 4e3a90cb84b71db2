/** Ghost text in JSON: what the file's schema allows, and a word about it where there is none that can be followed. */
import * as assert from 'node:assert';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import { SCHEMA_USES } from '../../../core/completion/schema_use';
import packageSchema from '../../../core/schema/bundled/package.json';
import {
  acceptGhostText,
  ask,
  type Asked,
  closeEditors,
  eventually,
  moveTo,
  readyApi,
  set,
  showGhostText,
} from './workbench';

const POLL_MS = 50;

suite('ghost text in JSON', () => {
  let api: EmberlineApi;
  let folder: string;
  let folders = 0;

  suiteSetup(async () => {
    api = await readyApi();
    folder = mkdtempSync(join(tmpdir(), 'emberline-json-'));
    await set('emberline.completion.minimumConfidence', 0);
  });
  suiteTeardown(async () => {
    await set('emberline.completion.minimumConfidence', undefined);
    rmSync(folder, { recursive: true, force: true });
  });
  teardown(async () => {
    await set('emberline.json.schemas', undefined);
    await set('json.schemas', undefined);
    await closeEditors();
  });

  /** A file of its own folder; the `|` of `content` says where its cursor is. */
  async function open(name: string, content: string): Promise<vscode.TextEditor> {
    // The model sees the last of its folders: they are the same each time.
    const place = join(folder, `${++folders}`, 'lamp');
    mkdirSync(place, { recursive: true });
    const path = join(place, name);
    writeFileSync(path, content.replace('|', ''));
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(path));
    moveTo(editor, editor.document.positionAt(content.indexOf('|')));
    return editor;
  }

  function askAt({ document, selection }: vscode.TextEditor): Promise<Asked> {
    return ask(api, { document, position: selection.active });
  }

  test('offers keys of package.json that are not there yet', async () => {
    const editor = await open('package.json', '{\n  "name": "lamp",\n  "version": "1.0.0",\n  "|\n}\n');
    const { outcome } = await showGhostText(api, editor);
    assert.deepStrictEqual(outcome.schema, { use: 'bound', detail: 'package.json' });
    await acceptGhostText(editor);
    const key = /"([^"]*)"/.exec(editor.document.lineAt(3).text)?.[1] ?? '';
    assert.ok(Object.keys(packageSchema.properties).includes(key), editor.document.getText());
    assert.ok(!['name', 'version'].includes(key), key);
    assert.ok(api.tooltip.includes(SCHEMA_USES.bound), api.tooltip);
  });

  test('offers values that may be', async () => {
    const editor = await open('package.json', '{\r\n  "type": |\r\n}\r\n');
    const { outcome } = await showGhostText(api, editor);
    assert.strictEqual(outcome.schema?.use, 'bound');
    await acceptGhostText(editor);
    assert.match(editor.document.getText(), /^\{\r\n {2}"type": "(module|commonjs)"\r\n\}\r\n$/);
  });

  test('follows a schema that the file names, as the file is now', async () => {
    const editor = await open('a.json', '{\n  "$schema": "./colours.json",\n  "colour": |\n}\n');
    const schema = join(editor.document.uri.fsPath, '..', 'colours.json');
    const offers = async (): Promise<string> => (await askAt(editor)).request.outcome.text;
    writeFileSync(schema, '{ "properties": { "colour": { "const": "vermilion" } } }');
    assert.strictEqual(await offers(), '"vermilion"');
    writeFileSync(schema, '{ "properties": { "colour": { "const": "ultramarine" } } }');
    // The editor's watcher takes its time to tell.
    let offered = '';
    await eventually(
      () => offered === '"ultramarine"',
      'the schema is read again',
      async () => {
        offered = await offers();
        await delay(POLL_MS);
      },
    );
  });

  test('follows the setting json.schemas', async () => {
    const editor = await open('own.json', '{\n  "size": |\n}\n');
    assert.strictEqual((await askAt(editor)).request.outcome.schema?.use, 'no_schema');
    const schema = { properties: { size: { enum: ['enormous'] } } };
    await set('json.schemas', [{ fileMatch: ['own.json'], schema }]);
    const { outcome } = (await askAt(editor)).request;
    assert.deepStrictEqual([outcome.schema?.use, outcome.text], ['bound', '"enormous"']);
  });

  test('says why a schema is not followed', async () => {
    const useAt = async (name: string, content: string): Promise<string | undefined> =>
      (await askAt(await open(name, content))).request.outcome.schema?.use;
    assert.strictEqual(
      await useAt('a.json', '{\n  "$schema": "https://example.com/a.json",\n  "b": |\n}'),
      'not_local',
    );
    assert.strictEqual(
      await useAt('a.json', '{\n  "$schema": "./none.json",\n  "b": |\n}'),
      'unreadable_schema',
    );
    assert.strictEqual(
      await useAt('package.json', '{\n  "private": "yes",\n  "name": |\n}'),
      'rejected_text',
    );
    assert.ok(api.tooltip.includes(SCHEMA_USES.rejected_text), api.tooltip);
    assert.strictEqual(await useAt('a.yaml', 'name: |'), 'yaml');
    await set('emberline.json.schemas', false);
    assert.strictEqual(await useAt('package.json', '{\n  "name": |\n}'), 'off');
  });
});
