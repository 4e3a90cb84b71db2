/** In the commit box, a message is suggested to who asks: from what is staged, as the editor's own git extension tells. */
import * as assert from 'node:assert';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import { makeFruitRepository } from '../../fruit_repository';
import { type Asked, ask, eventually, readyApi, set } from './workbench';

const { Automatic, Invoke } = vscode.InlineCompletionTriggerKind;

interface InputBox {
  value: string;
}

interface Git {
  readonly state: string;
  openRepository(root: vscode.Uri): Promise<{ readonly inputBox: InputBox } | null>;
}

suite('a commit message', () => {
  let api: EmberlineApi;
  let folder = '';
  let document: vscode.TextDocument;
  let box: InputBox;
  let stage: (fruit: string) => void;

  suiteSetup(async () => {
    api = await readyApi();
    const extension = vscode.extensions.getExtension<{ getAPI(version: 1): Git }>('vscode.git');
    assert.ok(extension, 'the editor comes without its git extension');
    // Without links: git names the folder as it is.
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'emberline-commit-')));
    stage = makeFruitRepository(folder);
    const api1 = (await extension.activate()).getAPI(1);
    await eventually(() => api1.state === 'initialized', 'the git extension is ready');
    const repository = await api1.openRepository(vscode.Uri.file(folder));
    assert.ok(repository);
    box = repository.inputBox;
    const root = encodeURIComponent(vscode.Uri.file(folder).toString());
    const isBox = ({ uri }: vscode.TextDocument): boolean =>
      uri.scheme === 'vscode-scm' && uri.query === `rootUri=${root}`;
    await vscode.commands.executeCommand('workbench.view.scm');
    await eventually(() => vscode.workspace.textDocuments.some(isBox), 'there is a commit box');
    document = vscode.workspace.textDocuments.find(isBox) ?? assert.fail();
  });
  suiteTeardown(async () => {
    await vscode.commands.executeCommand('workbench.view.explorer');
    if (folder !== '') rmSync(folder, { recursive: true });
  });
  teardown(() => set('emberline.languages', undefined));

  /** Asks at the end of the box. */
  function asked(triggerKind: vscode.InlineCompletionTriggerKind): Promise<Asked> {
    const position = document.lineAt(document.lineCount - 1).range.end;
    return ask(api, { document, position }, undefined, triggerKind);
  }

  test('is suggested to who asks, in the manner of the last ones', async () => {
    stage('quandongs');
    const unasked = await asked(Automatic);
    assert.strictEqual(unasked.request.outcome.reason, 'source_control_input');
    const { items, request } = await asked(Invoke);
    assert.match(request.outcome.text, /^fruit: /);
    assert.ok(items.length > 0);
  });

  test('is suggested of what is staged', async () => {
    box.value = 'fruit: count quan';
    await eventually(() => document.getText() === box.value, 'the box has the text');
    const { request } = await asked(Invoke);
    assert.match(request.outcome.text, /^dongs/);
  });

  test('is suggested to who types, where the settings say so', async () => {
    await set('emberline.languages', { '*': true, scminput: true });
    const { request } = await asked(Automatic);
    assert.strictEqual(request.outcome.source, 'model');
  });
});
