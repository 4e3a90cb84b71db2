/** What the dashboard counts is what was shown and taken, and nothing of it is text of a document. */
import * as assert from 'node:assert';
import { existsSync, readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import type { DashboardData } from '../../../core/statistics/dashboard_data';
import type { EmberlineApi } from '../../../extension/api';
import {
  acceptGhostText,
  ask,
  changeBy,
  closeEditors,
  edit,
  eventually,
  place,
  readyApi,
  set,
  showGhostText,
  workspaceFolder,
} from './workbench';

/** Planted in documents, and looked for in all that is kept or given away. */
const SECRET = 'hunter2_pineapple';
const ADD = `# ${SECRET}\ndef add_${SECRET}(a, b):\n    return |`;

type LanguageUsage = DashboardData['usage']['languages'][number];

suite('the dashboard', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
    await set('emberline.completion.minimumConfidence', 0);
    await set('emberline.completion.multiline', 'never');
  });
  suiteTeardown(async () => {
    await set('emberline.completion.minimumConfidence', undefined);
    await set('emberline.completion.multiline', undefined);
  });
  // What other suites left on the screen is not counted.
  setup(async () => {
    await closeEditors();
    await api.statistics.clear();
  });
  teardown(closeEditors);

  async function python(): Promise<LanguageUsage> {
    const { usage } = await api.dashboard.data();
    return (
      usage.languages.find(({ language }) => language === 'python') ?? assert.fail('nothing was counted')
    );
  }

  test('counts a suggestion that is shown and taken whole, and the characters it saved', async () => {
    const editor = await edit(ADD);
    const { outcome } = await showGhostText(api, editor);
    const offset = editor.document.offsetAt(editor.selection.active);
    assert.strictEqual((await python()).shown, 1);
    await acceptGhostText(editor);
    // One of the others may have been on the screen.
    const taken = editor.document.getText().length - (ADD.length - 1) + outcome.replace;
    assert.ok(taken > 1 && offset > 0);
    const counted = await python();
    assert.strictEqual(counted.whole, 1);
    assert.strictEqual(counted.charactersSaved, taken - 1);
    assert.strictEqual(counted.typedOver + counted.word + counted.line + counted.typedAlong, 0);
  });

  test('counts a suggestion of which a word is taken as such, once', async () => {
    const editor = await edit('def subtract(first_number, second_number):\n    return |');
    const before = editor.document.getText();
    await showGhostText(api, editor);
    await acceptGhostText(editor, 'editor.action.inlineSuggest.acceptNextWord');
    const taken = editor.document.getText().slice(before.length);
    // What is left of it is still on the screen, and is no other suggestion.
    assert.match(taken, /^\w{2,}$/);
    await closeEditors();
    await eventually(() => vscode.window.activeTextEditor === undefined, 'the editor is closed');
    const { word, whole, shown, charactersSaved } = await python();
    assert.deepStrictEqual({ word, whole, shown }, { word: 1, whole: 0, shown: 1 });
    assert.strictEqual(charactersSaved, taken.length - 1);
  });

  test('counts a suggestion that is typed over as such', async () => {
    const at = await place(ADD);
    const editor = await vscode.window.showTextDocument(at.document);
    const { items } = await ask(api, at);
    assert.strictEqual(items.length, 1);
    await editor.edit((builder) => builder.insert(at.position, '§§'));
    const { shown, typedOver } = await python();
    assert.ok(shown >= 1);
    assert.strictEqual(typedOver, 1);
  });

  test('has the last requests, as many as were counted, with phases that add up', async () => {
    const at = await place(ADD);
    const began = performance.now();
    const { request } = await ask(api, at);
    const elapsed = performance.now() - began;
    const { requests } = await api.dashboard.data();
    const record = requests.find(({ sequence }) => sequence === request.sequence);
    assert.ok(record !== undefined);
    assert.strictEqual(record.reason, request.outcome.reason);
    assert.strictEqual(record.promptTokens, request.outcome.timings.promptTokens);
    const { queueMs, prefillMs, decodeMs, restMs } = record;
    assert.ok(queueMs + prefillMs + decodeMs + restMs <= elapsed + 1);
    assert.ok(prefillMs + decodeMs > 0);
    assert.strictEqual(Math.max(...requests.map(({ sequence }) => sequence)), api.counters.requests);
  });

  test('says which model takes how much memory', async () => {
    const { model, memory } = await api.dashboard.data();
    assert.strictEqual(model?.name, api.model?.name);
    assert.ok(memory !== undefined && memory.weights > 50e6 && memory.kvMost > memory.kvNow);
  });

  test('keeps and exports nothing of a text, nor where it is', async () => {
    const editor = await edit(ADD);
    const { outcome } = await showGhostText(api, editor);
    await acceptGhostText(editor);
    await changeBy('undo', editor.document);
    await api.statistics.save();
    const kept = readFileSync(api.statistics.path, 'utf8');
    const given = await api.dashboard.exported();
    assert.ok(kept.includes('"python"') && given.includes('"python"'));
    assert.ok(kept.length < 16_384);
    const folder = workspaceFolder().fsPath;
    const texts = [SECRET, 'def add', editor.document.uri.toString(), 'ntitled', folder];
    for (const text of [...texts, outcome.text.trim()].filter(({ length }) => length > 3)) {
      assert.ok(!kept.includes(text), `${text} is kept`);
      assert.ok(!given.includes(text), `${text} is exported`);
    }
  });

  test('keeps its counts in a file until they are deleted', async () => {
    const editor = await edit(ADD);
    await showGhostText(api, editor);
    await acceptGhostText(editor);
    const { whole } = await python();
    assert.ok(whole > 0);
    await api.statistics.save();
    assert.ok(existsSync(api.statistics.path));
    assert.strictEqual((await python()).whole, whole);
    await closeEditors();
    await api.statistics.clear();
    assert.ok(!existsSync(api.statistics.path));
    assert.deepStrictEqual((await api.dashboard.data()).usage.languages, []);
  });

  test('opens once, and is closed like an editor', async () => {
    await vscode.commands.executeCommand('emberline.showDashboard');
    await vscode.commands.executeCommand('emberline.showDashboard');
    const tabs = (): readonly vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await eventually(() => tabs().length === 1, 'there is one tab');
    assert.strictEqual(tabs()[0]?.label, 'Emberline Dashboard');
    assert.ok(api.dashboard.isOpen);
    assert.ok((await api.dashboard.data()).threadDelay !== undefined);
    await vscode.window.tabGroups.close(tabs());
    await eventually(() => !api.dashboard.isOpen, 'the dashboard is closed');
    assert.strictEqual((await api.dashboard.data()).threadDelay, undefined);
  });
});
