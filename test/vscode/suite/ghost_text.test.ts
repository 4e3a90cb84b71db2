import * as assert from 'node:assert';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import {
  acceptGhostText,
  ask,
  changeBy,
  closeEditors,
  edit,
  eventually,
  moveTo,
  place,
  readyApi,
  set,
  showGhostText,
} from './workbench';

const ADD = 'def add(a, b):\n    return |';

function textOf(item: vscode.InlineCompletionItem): string {
  return typeof item.insertText === 'string' ? item.insertText : item.insertText.value;
}

suite('ghost text', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
    // What is tested here is how text gets on the screen, not how sure the model is.
    await set('emberline.completion.minimumConfidence', 0);
  });
  suiteTeardown(() => set('emberline.completion.minimumConfidence', undefined));
  teardown(async () => {
    await set('emberline.sampling.temperature', undefined);
    await set('emberline.completion.multiline', undefined);
    await set('emberline.completion.similarCode', undefined);
    await closeEditors();
  });

  for (const [language, content] of [
    ['python', ADD],
    ['typescript', 'function add(a: number, b: number): number {\n  return |\n}\n'],
    ['json', '{\n  "name": "emberline",\n  "version": |\n}\n'],
    ['plaintext', 'one two three four five six |'],
  ] as const) {
    test(`is shown and accepted in a ${language} document`, async () => {
      const editor = await edit(content, language);
      const before = editor.document.getText();
      const offset = editor.document.offsetAt(editor.selection.active);
      const { outcome } = await showGhostText(api, editor);
      await acceptGhostText(editor);
      const expected = before.slice(0, offset) + outcome.text + before.slice(offset + outcome.replace);
      assert.strictEqual(editor.document.getText(), expected);
      assert.match(outcome.text, /\S$/);
      assert.ok(!outcome.text.includes('\n'));
    });
  }

  test('is up to three different ones for who asks, and others for who asks again', async () => {
    const at = await place('import os\nimport sys\nimport |');
    const asked = (): ReturnType<typeof ask> =>
      ask(api, at, undefined, vscode.InlineCompletionTriggerKind.Invoke);
    const unasked = await ask(api, at);
    const first = (await asked()).items.map(textOf);
    assert.strictEqual(first[0], unasked.items.map(textOf)[0]);
    assert.ok(first.length > 1 && first.length <= 3, first.join());
    assert.strictEqual(new Set(first).size, first.length);
    const again = (await asked()).items.map(textOf);
    assert.ok(
      again.length > 0 && again.every((text) => !first.includes(text)),
      `${first.join()}; ${again.join()}`,
    );
  });

  test('is not offered again where it was accepted and undone, but to who asks', async () => {
    const editor = await edit(ADD);
    const { document } = editor;
    const at = { document, position: editor.selection.active };
    const { outcome } = await showGhostText(api, editor);
    await acceptGhostText(editor);
    await changeBy('undo', document);
    assert.strictEqual(document.getText(), ADD.replace('|', ''));
    const unasked = await ask(api, at);
    assert.strictEqual(unasked.request.outcome.reason, 'taken_back');
    assert.deepStrictEqual(unasked.items, []);
    const asked = await ask(api, at, undefined, vscode.InlineCompletionTriggerKind.Invoke);
    assert.ok(asked.items.length > 0, outcome.text);
  });

  test('leaves nothing of the text in the log', async () => {
    const lines: string[] = [];
    const listener = api.onDidLog((line) => lines.push(line));
    try {
      const editor = await edit('def subtract_pineapples(first, second):\n    return |');
      const { outcome } = await showGhostText(api, editor);
      assert.ok(lines.length > 0);
      for (const text of ['pineapples', 'second', outcome.text.trim()])
        assert.ok(!lines.some((line) => line.includes(text)), `${text} in: ${lines.join(' | ')}`);
    } finally {
      listener.dispose();
    }
  });

  test('keeps the line breaks of a CRLF document', async () => {
    const editor = await edit(`${ADD}\n\n\nprint(add(1, 2))\n`);
    const cursor = editor.selection.active;
    await editor.edit((builder) => builder.setEndOfLine(vscode.EndOfLine.CRLF));
    moveTo(editor, cursor);
    const before = editor.document.getText();
    const offset = editor.document.offsetAt(cursor);
    const { outcome } = await showGhostText(api, editor);
    await acceptGhostText(editor);
    assert.strictEqual(
      editor.document.getText(),
      before.slice(0, offset) + outcome.text + before.slice(offset),
    );
    assert.ok(!/(?<!\r)\n/.test(editor.document.getText()));
  });

  test('keeps the tabs of a document that is indented with tabs', async () => {
    const editor = await edit('def add(a, b):\n\tresult = a + b\n\treturn |');
    editor.options = { insertSpaces: false, tabSize: 8 };
    const { outcome } = await showGhostText(api, editor);
    await acceptGhostText(editor);
    assert.strictEqual(editor.document.lineAt(2).text, `\treturn ${outcome.text}`);
  });

  test('is not offered where a line is complete', async () => {
    await set('emberline.completion.multiline', 'never');
    const { document, position } = await place('def add(a, b):\n    return a + b|\n\n\nprint(add(1, 2))\n');
    const { items, request } = await ask(api, { document, position });
    assert.deepStrictEqual(items, []);
    assert.strictEqual(request.outcome.reason, 'line_complete');
    assert.notStrictEqual(request.outcome.text, '');
  });

  test('is the same when it is drawn again at the same place', async () => {
    const { document, position } = await place('def area(width, height):\n    |');
    const texts: string[] = [];
    // What other files say is read where there is room: how much there is follows the measured speed.
    await set('emberline.completion.similarCode', 'never');
    for (const temperature of [undefined, 1.5]) {
      await set('emberline.sampling.temperature', temperature);
      const { request } = await ask(api, { document, position });
      // Nothing is remembered of what was suggested before.
      await vscode.commands.executeCommand('emberline.restart');
      const again = await ask(api, { document, position });
      for (const { outcome } of [request, again.request]) assert.strictEqual(outcome.source, 'model');
      const [before, after] = [request, again.request].map(({ outcome }) => outcome.timings.promptTokens);
      assert.strictEqual(after, before, 'the model reads the same');
      assert.deepStrictEqual([...again.request.outcome.ids], [...request.outcome.ids]);
      texts.push(request.outcome.text);
      await vscode.commands.executeCommand('emberline.restart');
    }
    assert.ok(texts.every((text) => text !== ''));
  });

  test('is there once the model is, for whoever asked while that was loading or put away', async () => {
    const { document, position } = await place(ADD);
    const asked = vscode.InlineCompletionTriggerKind.Invoke;
    const restarted = vscode.commands.executeCommand('emberline.restart');
    await eventually(() => api.model === undefined, 'the model is put away', nextTurn);
    const early = await ask(api, { document, position }, undefined, asked);
    assert.strictEqual(early.request.outcome.reason, 'shown');
    await restarted;
    // In the middle of a longer one.
    const long = await place(`${'total = total * 2 + offset\n'.repeat(400)}${ADD}`);
    const { modelCalls } = api.counters;
    const interrupted = ask(api, long, undefined, asked);
    await eventually(() => api.counters.modelCalls > modelCalls || api.pending > 0, 'it is asked', nextTurn);
    await vscode.commands.executeCommand('emberline.restart');
    assert.strictEqual((await interrupted).request.outcome.reason, 'shown');
  });

  test('is dismissed without a trace', async () => {
    const editor = await edit(ADD);
    await showGhostText(api, editor);
    // What is left of it is drawn from then on.
    await acceptGhostText(editor, 'editor.action.inlineSuggest.acceptNextWord');
    const before = editor.document.getText();
    await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    await vscode.commands.executeCommand('editor.action.inlineSuggest.commit');
    assert.strictEqual(editor.document.getText(), before);
  });

  test('is accepted word by word, without another model call', async () => {
    const editor = await edit(ADD);
    const before = editor.document.getText();
    const { outcome } = await showGhostText(api, editor);
    const calls = api.counters.modelCalls;
    await acceptGhostText(editor, 'editor.action.inlineSuggest.acceptNextWord');
    const accepted = editor.document.getText().slice(before.length);
    assert.ok(
      accepted.length > 0 && outcome.text.startsWith(accepted),
      `accepted ${JSON.stringify(accepted)}`,
    );
    const rest = await ask(api, { document: editor.document, position: editor.selection.active });
    assert.strictEqual(rest.request.outcome.text, outcome.text.slice(accepted.length));
    assert.strictEqual(api.counters.modelCalls, calls);
  });

  test('stays while it is typed, without a model call', async () => {
    const { document, position } = await place(ADD);
    const editor = await vscode.window.showTextDocument(document);
    moveTo(editor, position);
    const { request } = await ask(api, { document, position });
    const { text } = request.outcome;
    assert.ok(request.outcome.shown && text.length >= 3);
    const calls = api.counters.modelCalls;
    for (let typed = 1; typed < text.length; typed++) {
      const at = position.translate(0, typed - 1);
      await editor.edit((builder) => builder.insert(at, text.slice(typed - 1, typed)));
      const again = await ask(api, { document, position: position.translate(0, typed) });
      // What would begin with a space is offered without it where a space stands already, as everywhere.
      assert.strictEqual(again.request.outcome.text.trimStart(), text.slice(typed).trimStart());
      assert.strictEqual(again.request.outcome.source, 'cache');
    }
    assert.strictEqual(api.counters.modelCalls, calls);
  });

  test('respects a bracket that the editor closed', async () => {
    const { document, position } = await place('def add(a, b):\n    return a + b\n\n\nprint(add(|))\n');
    const { items, request } = await ask(api, { document, position });
    assert.ok(items.length > 0, request.outcome.reason);
    for (const item of items) {
      const text = textOf(item);
      const line = document.lineAt(position.line).text;
      const end = item.range?.end.character ?? position.character;
      const result = line.slice(0, position.character) + text + line.slice(end);
      assert.strictEqual(result.split('(').length, result.split(')').length, result);
    }
    assert.ok(request.outcome.source === 'model');
  });

  test('extends the highlighted entry of the suggestion list, over its range', async () => {
    const { document, position } = await place('def add(a, b):\n    ret|');
    const range = new vscode.Range(position.translate(0, -3), position);
    const { items, request } = await ask(api, { document, position }, { range, text: 'return' });
    assert.ok(request.outcome.shown, request.outcome.reason);
    const [item] = items;
    assert.ok(item !== undefined && textOf(item).startsWith('return'));
    assert.ok(item.range?.isEqual(range));
  });

  test('reuses what the engine computed for the unchanged front', async () => {
    const lines = Array.from({ length: 12 }, (_, index) => `value_${index} = compute(${index})\n`).join('');
    const first = await place(`${lines}result = |`);
    await ask(api, first);
    const editor = await vscode.window.showTextDocument(first.document);
    await editor.edit((builder) => builder.insert(first.position, 'zq'));
    const position = first.position.translate(0, 2);
    const { request } = await ask(api, { document: first.document, position });
    const { promptTokens, reusedTokens } = request.outcome.timings;
    assert.strictEqual(request.outcome.source, 'model');
    assert.ok(promptTokens - reusedTokens < promptTokens / 4, `${reusedTokens} of ${promptTokens} reused`);
  });
});
