import * as assert from 'node:assert';
import { homedir, userInfo } from 'node:os';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import { ask, closeEditors, eventually, place, readyApi, set } from './workbench';

/** What nobody is to read in a report. */
const SECRET = 'correcthorsebattery';
const KEY = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';

suite('a report', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
  });
  teardown(async () => {
    await set('emberline.excludedFiles', undefined);
    await set('emberline.languages', undefined);
    await set('emberline.model.mirror', undefined);
    await set('emberline.completion.maxTokens', undefined);
    await closeEditors();
  });

  async function report(): Promise<vscode.TextDocument> {
    await vscode.commands.executeCommand('emberline.reportIssue');
    const document = vscode.window.activeTextEditor?.document;
    assert.ok(document);
    assert.match(document.uri.path, /emberline-report\.md$/);
    return document;
  }

  test('is read first, and holds nothing of anybody', async () => {
    await set('emberline.excludedFiles', [`**/${SECRET}/**`, KEY]);
    await set('emberline.languages', { '*': true, [SECRET]: true });
    await set('emberline.model.mirror', `https://${SECRET}:${KEY}@127.0.0.1:9`);
    await set('emberline.completion.maxTokens', 12);
    await ask(api, await place(`${SECRET} = "${KEY}"\nprint(|`));
    const uri = vscode.Uri.parse(`untitled:/srv/${SECRET}/x.py`);
    const elsewhere = await vscode.workspace.openTextDocument(uri);
    await ask(api, { document: elsewhere, position: new vscode.Position(0, 0) });
    const text = (await report()).getText();
    const found = [SECRET, KEY, homedir(), '/srv/'].filter((one) => text.includes(one));
    assert.deepStrictEqual(found, []);
    // A name like `root` may be a word as well.
    assert.ok(!text.includes(`/${userInfo().username}/`));
    assert.match(text, /emberline\.completion\.maxTokens: 12/);
    assert.match(text, /emberline\.excludedFiles: 2 entries/);
    assert.match(text, /python: excluded_file/);
    assert.ok(api.model !== undefined && text.includes(api.model.device), text);
    assert.ok(text.includes(`Emberline ${String(version())}`));
  });

  test('is copied as it was left, and only then', async () => {
    await vscode.env.clipboard.writeText('what was copied before');
    const document = await report();
    assert.strictEqual(await vscode.env.clipboard.readText(), 'what was copied before');
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((builder) => builder.insert(editor.selection.active, 'It hums.'));
    assert.match(document.getText(), /## What happened\r?\n\r?\nIt hums\./);
    assert.strictEqual(await vscode.commands.executeCommand('emberline.copyReport'), true);
    assert.strictEqual(await vscode.env.clipboard.readText(), document.getText());
  });

  test('is new each time, and not there where none was asked for', async () => {
    await ask(api, await place('val|ue'));
    assert.match((await report()).getText(), /inside_word/);
    const again = await report();
    assert.strictEqual(again.getText().match(/# Emberline report/g)?.length, 1);
    await closeEditors();
    await eventually(() => again.isClosed, 'the report is closed');
    assert.strictEqual(await vscode.commands.executeCommand('emberline.copyReport'), false);
  });
});

function version(): unknown {
  const manifest = vscode.extensions.getExtension('emberline.emberline')?.packageJSON as { version: unknown };
  return manifest.version;
}
