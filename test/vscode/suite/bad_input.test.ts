/** What no one should open, and what some do: a reason or an error, never a crash, a hang or lost text. */
import * as assert from 'node:assert';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { embeddedModelPath } from '../../../core/engine/binding';
import type { EmberlineApi } from '../../../extension/api';
import { ask, closeEditors, eventually, extension, place, readyApi, set } from './workbench';

suite('unusual documents', () => {
  let api: EmberlineApi;
  let folder: string;
  let files = 0;

  suiteSetup(async () => {
    api = await readyApi();
    folder = mkdtempSync(join(tmpdir(), 'emberline-documents-'));
  });
  suiteTeardown(() => rmSync(folder, { recursive: true, force: true }));
  teardown(closeEditors);

  async function reasonAt(content: string, position?: vscode.Position): Promise<string> {
    const document = await vscode.workspace.openTextDocument({ content, language: 'python' });
    const { request } = await ask(api, {
      document,
      position: position ?? document.positionAt(content.length),
    });
    assert.strictEqual(document.getText(), content);
    return request.outcome.reason;
  }

  /** A document of a file: large untitled ones outlive their test. */
  async function opened(content: string): Promise<vscode.TextDocument> {
    const path = join(folder, `large-${++files}.py`);
    writeFileSync(path, content);
    return vscode.workspace.openTextDocument(path);
  }

  test('one line of 10 MB', async () => {
    const document = await opened('x'.repeat(10_000_000));
    const position = new vscode.Position(0, 5_000_000);
    const { request } = await ask(api, { document, position });
    assert.strictEqual(request.outcome.reason, 'line_too_long');
  });

  test('10 MB of lines are only looked at near the cursor', async () => {
    const document = await opened(`${'value = compute(1)\n'.repeat(500_000)}def add(a, b):\n    return `);
    const position = document.lineAt(document.lineCount - 1).range.end;
    const { request } = await ask(api, { document, position });
    assert.strictEqual(request.outcome.source, 'model', request.outcome.reason);
    assert.ok(request.outcome.timings.promptTokens < 2_000);
  });

  test('binary data', async () => {
    assert.strictEqual(await reasonAt('\u007fELF\u0002\u0001\u0001\u0000\u0000\u0000'), 'binary_content');
  });

  test('an empty untitled document', async () => {
    assert.strictEqual(await reasonAt(''), 'blank_document');
  });

  test('a cursor between the halves of a character', async () => {
    assert.strictEqual(await reasonAt('x = "😀"', new vscode.Position(0, 6)), 'inside_character');
  });

  test('half a character in the text', async () => {
    const { document, position } = await place('name = "\ud83d"\nother = |');
    const { request } = await ask(api, { document, position });
    assert.strictEqual(request.outcome.source, 'model', request.outcome.reason);
  });

  test('the end of the text', async () => {
    const { document } = await place('x = |');
    const { request } = await ask(api, {
      document,
      position: document.validatePosition(new vscode.Position(9, 9)),
    });
    assert.strictEqual(request.outcome.source, 'model', request.outcome.reason);
  });
});

suite('model files that are none', () => {
  let api: EmberlineApi;
  let folder: string;

  suiteSetup(async () => {
    api = await readyApi();
    folder = mkdtempSync(join(tmpdir(), 'emberline-models-'));
  });
  suiteTeardown(async () => {
    await set('emberline.model.path', undefined);
    await eventually(() => api.status === 'ready', 'the embedded model is back');
    await vscode.commands.executeCommand('notifications.clearAll');
    rmSync(folder, { recursive: true, force: true });
  });

  function file(name: string, content: string | Uint8Array): string {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  }

  /** The first bytes of the embedded model. */
  function beginning(bytes: number): Uint8Array {
    const model = openSync(embeddedModelPath(extension().extensionPath), 'r');
    try {
      const content = new Uint8Array(bytes);
      assert.strictEqual(readSync(model, content), bytes);
      return content;
    } finally {
      closeSync(model);
    }
  }

  for (const [what, code, path] of [
    ['a file that is not there', 'FILE_NOT_FOUND', () => join(folder, 'missing.gguf')],
    ['a folder', 'MODEL_NOT_GGUF', () => folder],
    ['an empty file', 'MODEL_TRUNCATED', () => file('empty.gguf', '')],
    ['a text file', 'MODEL_NOT_GGUF', () => file('text.gguf', 'This is not a model.\n'.repeat(100))],
    ['a model that was cut short', 'MODEL_TRUNCATED', () => file('cut.gguf', beginning(3_000_000))],
  ] as const) {
    test(`${what} is an error with a name, and the embedded model goes on`, async () => {
      await set('emberline.model.path', path());
      await eventually(() => api.error !== undefined, 'there is an error');
      assert.strictEqual(api.error?.code, code);
      assert.match(api.error.message, /\S\.$/);
      const { request } = await ask(api, await place('x = |'));
      assert.notStrictEqual(request.outcome.reason, 'model_failed');
      assert.strictEqual(api.status, 'ready');
      // The next path must not come while this one is loaded: there would be no model to go on with.
      const statuses: string[] = [];
      const listener = api.onDidChangeStatus((status) => statuses.push(status));
      await set('emberline.model.path', undefined);
      await eventually(() => statuses.includes('loading') && api.status === 'ready', 'it is loaded again');
      listener.dispose();
      assert.strictEqual(api.error, undefined);
    });
  }
});
