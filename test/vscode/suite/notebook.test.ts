/** A notebook's cell is a document of its own; what is suggested in it goes on from the cells around it. */
import * as assert from 'node:assert';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import {
  acceptGhostText,
  type Asked,
  actUntil,
  ask,
  closeEditors,
  eventually,
  readyApi,
  set,
} from './workbench';

const { Code, Markup } = vscode.NotebookCellKind;
const ADD = 'def add_pineapples(first, second):\n    return first + second';
const PRINT = 'print(add_pineapples(1, 2))';
const PROSE = new vscode.NotebookCellData(Markup, '# Fruit', 'markdown');

function code(text: string, language = 'python'): vscode.NotebookCellData {
  return new vscode.NotebookCellData(Code, text, language);
}

suite('a notebook', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
    await set('emberline.completion.minimumConfidence', 0);
    // What is drawn follows the document's name, in which the editor counts.
    await set('emberline.sampling.temperature', 0);
  });
  suiteTeardown(async () => {
    await set('emberline.completion.minimumConfidence', undefined);
    await set('emberline.sampling.temperature', undefined);
  });
  teardown(closeEditors);

  /** A notebook that is not saved, as the editor's own extension for them makes it. */
  function open(...cells: vscode.NotebookCellData[]): Thenable<vscode.NotebookDocument> {
    return vscode.workspace.openNotebookDocument('jupyter-notebook', new vscode.NotebookData(cells));
  }

  /** Asks at the end of the last line of a cell. */
  function askIn(notebook: vscode.NotebookDocument, index: number): Promise<Asked> {
    const { document } = notebook.cellAt(index);
    return ask(api, { document, position: document.lineAt(document.lineCount - 1).range.end });
  }

  /** The cell must have the focus, which a new one may not have yet. */
  async function triggerInCell(): Promise<void> {
    await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
    await vscode.commands.executeCommand('notebook.cell.edit');
    await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
  }

  test('has suggestions in an empty cell, of what the others say', async () => {
    const alone = await askIn(await open(code('')), 0);
    assert.strictEqual(alone.request.outcome.reason, 'blank_document');
    const few = await askIn(await open(PROSE, code(ADD), code('')), 2);
    const more = await askIn(await open(PROSE, code(ADD), code(PRINT), code('')), 3);
    for (const { request } of [few, more]) {
      assert.strictEqual(request.outcome.source, 'model');
      assert.notStrictEqual(request.outcome.text, '');
    }
    const [tokens, moreTokens] = [few, more].map(({ request }) => request.outcome.timings.promptTokens);
    assert.ok(tokens !== undefined && moreTokens !== undefined && moreTokens > tokens);
  });

  test('lets a name of another cell be completed, and stays within the cell', async () => {
    const notebook = await open(code(ADD), code('print(add_p'), code('total = 1\nprint(total)'));
    const { request } = await askIn(notebook, 1);
    assert.match(request.outcome.text, /^ineapples\(/);
    assert.ok(!request.outcome.text.includes('total'), request.outcome.text);
  });

  test('is not followed from one language into another', async () => {
    const { request } = await askIn(await open(code('console.log(1);', 'javascript'), code('')), 1);
    assert.strictEqual(request.outcome.reason, 'blank_document');
  });

  test('shows its ghost text in a new cell, and takes it', async () => {
    const notebook = await open(PROSE, code(ADD), code(PRINT));
    await vscode.window.showNotebookDocument(notebook, { selections: [new vscode.NotebookRange(2, 3)] });
    await vscode.commands.executeCommand('notebook.cell.insertCodeCellBelow');
    await eventually(() => notebook.cellCount === 4, 'there is another cell');
    const { document } = notebook.cellAt(3);
    await eventually(() => vscode.window.activeTextEditor?.document === document, 'it has the cursor');
    await eventually(() => document.languageId === 'python', 'it is Python');
    let text = '';
    const listener = api.onDidFinish(({ uri, outcome }) => {
      if (uri === document.uri.toString() && outcome.shown) ({ text } = outcome);
    });
    try {
      await actUntil(
        triggerInCell,
        () => text !== '',
        () => `something is suggested; the last request ended as ${api.last?.outcome.reason}`,
      );
      await acceptGhostText({ document }, undefined, triggerInCell);
      assert.strictEqual(document.getText(), text);
    } finally {
      listener.dispose();
    }
  });
});
