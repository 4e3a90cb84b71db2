/** What the editor will ask behind a key is begun with the key: once it asks, the suggestion is made, or under way. */
import * as assert from 'node:assert';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import type { FinishedRequest } from '../../../extension/completion/provider';
import { closeEditors, edit, eventually, readyApi, set } from './workbench';

const SQUARE = 'def square(x):\n    return x * x\n\n\ndef cube(x):\n    return |\n';

suite('a head start', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
    // The list would take the place of what is typed.
    await set('editor.quickSuggestions', { other: 'off', comments: 'off', strings: 'off' });
  });
  suiteTeardown(async () => {
    await set('editor.quickSuggestions', undefined);
    await closeEditors();
  });

  test('is had where the editor asked behind the key before', async () => {
    const editor = await edit(SQUARE);
    const uri = editor.document.uri.toString();
    const finished: FinishedRequest[] = [];
    const listener = api.onDidFinish((request) => {
      if (request.uri === uri && request.version === editor.document.version) finished.push(request);
    });
    const type = async (text: string): Promise<FinishedRequest> => {
      await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
      finished.length = 0;
      await vscode.commands.executeCommand('type', { text });
      await eventually(
        () => finished.some(({ outcome }) => outcome.reason !== 'cancelled'),
        `the editor asks behind ${text}`,
      );
      return finished.at(-1) ?? assert.fail();
    };
    try {
      await type('x');
      for (const text of [' ', '*', ' ']) {
        const { outcome, askedMs, answeredMs } = await type(text);
        const { headStartMs = 0 } = outcome;
        assert.ok(headStartMs > 0, `${text}: ${outcome.reason}`);
        // The model was asked once, before or after.
        if (outcome.source === 'model')
          assert.ok(outcome.timings.totalMs <= headStartMs + answeredMs - askedMs + 1, text);
      }
    } finally {
      listener.dispose();
    }
  });
});
