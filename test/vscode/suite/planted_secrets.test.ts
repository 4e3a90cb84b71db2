/** What is planted in documents, their names, settings, instructions and keys is in nothing that is logged, kept, reported or exported. */
import * as assert from 'node:assert';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import { filesWith } from './files_with';
import {
  acceptGhostText,
  ask,
  closeEditors,
  edit,
  eventually,
  place,
  readyApi,
  set,
  showGhostText,
} from './workbench';

const TEXT = 'planted_7f3a_in_a_document';
const NAME = 'planted_7f3a_in_a_name';
const SETTING = 'planted_7f3a_in_a_setting';
const INSTRUCTION = 'planted_7f3a_in_an_instruction';
const KEY = 'planted_7f3a_as_a_key';
const PLANTED = [TEXT, NAME, SETTING, INSTRUCTION, KEY];
const SET = [
  'completion.minimumConfidence',
  'completion.multiline',
  'generate.maxTokens',
  'excludedFiles',
  'languages',
];
/** Nobody answers there. */
const NOWHERE = 'http://127.0.0.1:9';

suite('what is planted in documents, settings and keys', () => {
  let api: EmberlineApi;
  let listener: vscode.Disposable;
  const lines: string[] = [];

  suiteSetup(async () => {
    api = await readyApi();
    listener = api.onDidLog((line) => lines.push(line));
    await set('emberline.completion.minimumConfidence', 0);
    await set('emberline.completion.multiline', 'never');
    await set('emberline.generate.maxTokens', 16);
    await set('emberline.excludedFiles', [`**/${SETTING}/**`]);
    await set('emberline.languages', { '*': true, [SETTING]: true });
  });
  suiteTeardown(async () => {
    listener.dispose();
    for (const name of SET) await set(`emberline.${name}`, undefined);
    await vscode.commands.executeCommand('notifications.clearAll');
    await closeEditors();
  });

  const storage = (): string => dirname(api.statistics.path);
  /** Where each text is, of what the extension wrote. */
  function found(): string[] {
    const logs = process.env['EMBERLINE_TEST_LOGS'] ?? assert.fail('nobody says where the logs are');
    return PLANTED.flatMap((text) => [
      ...filesWith(storage(), text),
      // VS Code's own logs name documents.
      ...filesWith(logs, text, /emberline/i),
    ]);
  }

  test('is read for suggestions, of which one is taken', async () => {
    const editor = await edit(`# ${TEXT}\ndef add_${TEXT}(a, b):\n    return |`);
    await showGhostText(api, editor);
    await acceptGhostText(editor);
    // A document that is left alone; JSON with a schema that is not there.
    const named = vscode.Uri.parse(`untitled:/srv/${SETTING}/${NAME}.py`);
    const document = await vscode.workspace.openTextDocument(named);
    await ask(api, { document, position: new vscode.Position(0, 0) });
    await ask(api, await place(`{"$schema": "./${NAME}.json", "${TEXT}": |}`, 'json'));
  });

  test('is read for several lines, and for an edit that is discarded', async () => {
    await edit(`# ${TEXT}\nnumbers = [1, 2, 3]\n|`);
    await vscode.commands.executeCommand('emberline.generate');
    await edit(`${TEXT} = 1\n|`);
    let decided = false;
    const edited = Promise.resolve(
      vscode.commands.executeCommand('emberline.generateLines', `print ${INSTRUCTION}`),
    ).finally(() => (decided = true));
    await eventually(() => {
      // It is under way, or not begun, or may be there to be discarded.
      void vscode.commands.executeCommand('emberline.stopGenerating');
      void vscode.commands.executeCommand('emberline.discardEdit');
      return decided;
    }, 'the edit is discarded');
    await edited;
  });

  test('is given as a key, to a server that is not there and to none', async () => {
    const given = { url: NOWHERE, key: KEY };
    const ending: { readonly kind: string } = await vscode.commands.executeCommand(
      'emberline.useRemoteEngine',
      given,
    );
    assert.strictEqual(ending.kind, 'failed');
    await vscode.commands.executeCommand('emberline.setRemoteKey', KEY);
  });

  test('is in no log, record, cache, report or export', async () => {
    await api.statistics.save();
    await vscode.commands.executeCommand('emberline.reportIssue');
    const report = vscode.window.activeTextEditor?.document.getText() ?? '';
    assert.match(report, /emberline\.excludedFiles: 1 entr/);
    const exported = await api.dashboard.exported();
    assert.ok(lines.length > 3, 'nothing was logged; the test shows nothing');
    for (const text of PLANTED) {
      assert.ok(!report.includes(text), `${text} is reported`);
      assert.ok(!exported.includes(text), `${text} is exported`);
      assert.ok(!api.tooltip.includes(text), `${text} is in the tooltip`);
      assert.ok(!lines.some((line) => line.includes(text)), `${text} is logged`);
    }
    assert.ok(!JSON.stringify(vscode.workspace.getConfiguration('emberline')).includes(KEY));
    assert.deepStrictEqual(found(), []);
  });

  test('is found where it is', () => {
    const path = join(storage(), 'planted.txt');
    writeFileSync(path, `x ${TEXT} y`);
    try {
      assert.deepStrictEqual(found(), [path]);
    } finally {
      rmSync(path);
    }
  });
});
