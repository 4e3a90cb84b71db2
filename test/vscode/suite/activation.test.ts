import * as assert from 'node:assert';
import * as vscode from 'vscode';
import { extension, figure, readyApi } from './workbench';

suite('activation', () => {
  test('the packaged extension activates and loads its model', async () => {
    const api = await readyApi();
    assert.strictEqual(api.status, 'ready');
    assert.strictEqual(api.error, undefined);
    assert.strictEqual(api.model?.architecture, 'llama');
    assert.ok(api.model.layers > 0 && api.model.vocabulary > 0);
    figure(
      `activation: ${api.activationMs.toFixed(1)} ms on the JS thread; model loaded in ${api.model.loadMs.toFixed(0)} ms`,
    );
  });

  test('it runs from a package, not from the sources', () => {
    assert.strictEqual(extension().extensionKind, vscode.ExtensionKind.Workspace);
    assert.match(extension().extensionPath, /emberline\.emberline-/);
  });

  test('every contributed command is registered', async () => {
    await readyApi();
    const manifest = extension().packageJSON as { contributes: { commands: { command: string }[] } };
    const registered = new Set(await vscode.commands.getCommands(true));
    for (const { command } of manifest.contributes.commands) {
      assert.ok(registered.has(command), `${command} is not registered`);
    }
  });
});
