import * as assert from 'node:assert';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import type { FinishedRequest } from '../../../extension/completion/provider';
import { acceptGhostText, closeEditors, edit, eventually, extension, readyApi } from './workbench';

suite('Try It', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
  });
  setup(closeEditors);
  teardown(closeEditors);

  /** Runs the command, and waits for what its scratch file was asked for. */
  async function tryIt(): Promise<{ editor: vscode.TextEditor; request: FinishedRequest }> {
    const requests: FinishedRequest[] = [];
    const listener = api.onDidFinish((request) => requests.push(request));
    try {
      await vscode.commands.executeCommand('emberline.tryIt');
      const editor = vscode.window.activeTextEditor;
      assert.ok(editor);
      const uri = editor.document.uri.toString();
      const decided = (): FinishedRequest | undefined =>
        requests.find((one) => one.uri === uri && !['cancelled', 'stale'].includes(one.outcome.reason));
      await eventually(() => decided() !== undefined, 'the scratch file is completed without a key');
      const request = decided();
      assert.ok(request);
      return { editor, request };
    } finally {
      listener.dispose();
    }
  }

  test('shows a suggestion for certain, with the default settings', async () => {
    const settings = vscode.workspace.getConfiguration('emberline.completion');
    assert.strictEqual(settings.get('eagerness'), 'balanced');
    const { editor, request } = await tryIt();
    assert.strictEqual(editor.document.languageId, 'python');
    assert.ok(editor.document.isUntitled);
    assert.deepStrictEqual([request.outcome.reason, request.outcome.text], ['shown', 'a * b']);
    await acceptGhostText(editor);
    assert.match(editor.document.getText(), /return a \* b$/);
  });

  test('says what to press', async () => {
    const { editor } = await tryIt();
    const text = editor.document.getText();
    for (const key of ['Tab', process.platform === 'darwin' ? 'Cmd+Right' : 'Ctrl+Right', 'Escape', 'Alt+\\'])
      assert.ok(text.includes(key), key);
  });

  test('is in the language one works in', async () => {
    await edit('const x = 1;|', 'typescript');
    const { editor, request } = await tryIt();
    assert.strictEqual(editor.document.languageId, 'typescript');
    assert.deepStrictEqual([request.outcome.reason, request.outcome.text], ['shown', 'a * b;']);
  });
});

interface Step {
  readonly description: string;
  readonly media: { readonly image: string };
  readonly completionEvents?: readonly string[];
}

suite('the walkthrough', () => {
  test('has its pictures in the package, and names commands that there are', async () => {
    await readyApi();
    const installed = extension();
    const { contributes } = installed.packageJSON as {
      contributes: { walkthroughs: readonly { readonly steps: readonly Step[] }[] };
    };
    const commands = new Set(await vscode.commands.getCommands(true));
    const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
    assert.strictEqual(steps.length, 3);
    for (const { description, media, completionEvents = [] } of steps) {
      assert.ok(existsSync(join(installed.extensionPath, media.image)), media.image);
      const named = [...`${description} ${completionEvents.join(' ')}`.matchAll(/command:([\w.]+)/gi)];
      assert.ok(named.length > 0);
      for (const [, command = ''] of named) assert.ok(commands.has(command), command);
    }
  });

  test('does not come by itself where the editor is told not to open one', () => {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    assert.deepStrictEqual(
      tabs.filter(({ label }) => /Welcome|Walkthrough/.test(label)).map(({ label }) => label),
      [],
    );
  });
});
