/** The extension under test and the editor around it, as the suites use them. */
import * as assert from 'node:assert';
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { EmberlineApi } from '../../../extension/api';
import type { FinishedRequest } from '../../../extension/completion/provider';

const EXTENSION_ID = 'emberline.emberline';

/** Far longer than anything takes on a loaded machine; reaching it is a failure, never a way to wait. */
const DEADLINE_MS = 45_000;
const POLL_MS = 20;
/** Longer than a suggestion takes on most machines. */
const FIRST_WAIT_MS = 2_000;
/** The editor asks a few times at most by itself. */
const MOST_QUESTIONS = 10;

export function extension(): vscode.Extension<EmberlineApi> {
  const found = vscode.extensions.getExtension<EmberlineApi>(EXTENSION_ID);
  assert.ok(found, `${EXTENSION_ID} is not installed`);
  return found;
}

/** The extension's interface, once its model is loaded. */
export async function readyApi(): Promise<EmberlineApi> {
  const api = await extension().activate();
  await eventually(() => api.model !== undefined, 'the model is loaded');
  return api;
}

/** The folder that is open. */
export function workspaceFolder(): vscode.Uri {
  return vscode.workspace.workspaceFolders?.[0]?.uri ?? assert.fail('no folder is open');
}

/**
 * Waits until `condition` holds.
 * @param wait Between two looks.
 */
export async function eventually(
  condition: () => boolean,
  what: string,
  wait: () => Promise<unknown> = () => delay(POLL_MS),
): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!condition()) {
    if (Date.now() > deadline) assert.fail(`In vain: ${what}`);
    await wait();
  }
}

/** Acts until `condition` holds, ever less often: a workbench that is busy may not do what it is asked, and each act cancels the one before. */
export async function actUntil(
  act: () => Promise<unknown>,
  condition: () => boolean,
  what: () => string,
): Promise<void> {
  for (const until of longerAndLonger()) {
    await act();
    while (Date.now() < until) {
      if (condition()) return;
      await delay(POLL_MS);
    }
  }
  assert.fail(`In vain: ${what()}`);
}

/** A new untitled document; the `|` of `content` says where its cursor is. */
export interface Place {
  readonly document: vscode.TextDocument;
  readonly position: vscode.Position;
}

export async function place(content: string, language = 'python'): Promise<Place> {
  const offset = content.indexOf('|');
  assert.ok(offset >= 0, 'the content marks no cursor');
  const text = content.slice(0, offset) + content.slice(offset + 1);
  let document = await vscode.workspace.openTextDocument({ content: text, language });
  if (document.getText().length !== text.length) {
    // The editor keeps a copy of a document without a file, for a while after it was dropped, and the next one has its name.
    await vscode.window.showTextDocument(document);
    await closeEditors();
    document = await vscode.workspace.openTextDocument({ content: text, language });
  }
  return { document, position: document.positionAt(offset) };
}

/** The same, shown in an editor. */
export async function edit(content: string, language = 'python'): Promise<vscode.TextEditor> {
  const { document, position } = await place(content, language);
  const editor = await vscode.window.showTextDocument(document);
  moveTo(editor, position);
  return editor;
}

export function moveTo(editor: vscode.TextEditor, position: vscode.Position): void {
  editor.selection = new vscode.Selection(position, position);
}

export interface Asked {
  readonly items: readonly vscode.InlineCompletionItem[];
  readonly request: FinishedRequest;
}

/**
 * Asks the provider as the editor would while somebody types, or when somebody asks for it, without the editor's debounce. Where the editor itself
 * asked meanwhile, whose question ends this one, asks again.
 */
export async function ask(
  api: EmberlineApi,
  at: Place,
  selected?: vscode.SelectedCompletionInfo,
  triggerKind = vscode.InlineCompletionTriggerKind.Automatic,
): Promise<Asked> {
  const context = { triggerKind, selectedCompletionInfo: selected };
  const { version } = at.document;
  let asked = await askOnce(api, at, context);
  for (let time = 0; time < MOST_QUESTIONS && asked.request.outcome.reason === 'cancelled'; time++) {
    // An edit ends it for good.
    if (at.document.version !== version) break;
    await eventually(() => api.pending === 0, 'nothing else is asked');
    asked = await askOnce(api, at, context);
  }
  return asked;
}

async function askOnce(
  api: EmberlineApi,
  { document, position }: Place,
  context: vscode.InlineCompletionContext,
): Promise<Asked> {
  const cancellation = new vscode.CancellationTokenSource();
  let request: FinishedRequest | undefined;
  const listener = api.onDidFinish((finished) => {
    if (finished.uri === document.uri.toString()) request = finished;
  });
  try {
    const result = await api.provider.provideInlineCompletionItems(
      document,
      position,
      context,
      cancellation.token,
    );
    assert.ok(Array.isArray(result) && request !== undefined);
    return { items: result, request };
  } finally {
    listener.dispose();
    cancellation.dispose();
  }
}

/** The text of a document once an item that the provider gave is accepted. */
export function withItem(
  { document, position }: Place,
  item: vscode.InlineCompletionItem | undefined,
): string {
  assert.ok(item !== undefined && typeof item.insertText === 'string');
  const { start, end } = item.range ?? new vscode.Range(position, position);
  const text = document.getText();
  return text.slice(0, document.offsetAt(start)) + item.insertText + text.slice(document.offsetAt(end));
}

/** Has the editor show ghost text at its cursor, and returns the request that made it. */
export async function showGhostText(api: EmberlineApi, editor: vscode.TextEditor): Promise<FinishedRequest> {
  const uri = editor.document.uri.toString();
  const cursor = editor.selection.active;
  const shown: FinishedRequest[] = [];
  const listener = api.onDidFinish((request) => {
    const current = request.version === editor.document.version;
    if (request.uri === uri && request.outcome.shown && current) shown.push(request);
  });
  try {
    await actUntil(
      async () => {
        // An editor that was still being opened may not have moved its cursor, though this side thinks that it has.
        moveTo(editor, cursor);
        await triggerGhostText();
      },
      () => shown.length > 0,
      () => `ghost text; the last request ended as ${describe(api)}`,
    );
    const [request] = shown;
    assert.ok(request !== undefined);
    return request;
  } finally {
    listener.dispose();
  }
}

/**
 * Runs an editor command on the ghost text that showGhostText() gave, until it changed the document: the text may not be
 * drawn yet when the command runs first, and an editor that loses the focus or moves its cursor meanwhile drops the text.
 * @param trigger Has the editor show it again.
 */
export async function acceptGhostText(
  { document }: Pick<vscode.TextEditor, 'document'>,
  command = 'editor.action.inlineSuggest.commit',
  trigger = triggerGhostText,
): Promise<void> {
  const { version } = document;
  for (const until of longerAndLonger()) {
    while (Date.now() < until) {
      await vscode.commands.executeCommand(command);
      if (document.version !== version) return;
      await delay(POLL_MS);
    }
    await trigger();
  }
  assert.fail(`In vain: ${command} changes the document`);
}

/** The editor may ask where the cursor was before, or not at all while it has no focus. */
async function triggerGhostText(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
  await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
}

/** When to trigger again: ever later, as that cancels what runs. */
function* longerAndLonger(): Generator<number> {
  const deadline = Date.now() + DEADLINE_MS;
  for (let wait = FIRST_WAIT_MS; Date.now() < deadline; wait *= 2)
    yield Math.min(Date.now() + wait, deadline);
}

/** Runs an editor command, `undo` for instance, until it changed the document: what it acts on may not be there yet. */
export async function changeBy(command: string, document: vscode.TextDocument): Promise<void> {
  const { version } = document;
  const deadline = Date.now() + DEADLINE_MS;
  while (document.version === version) {
    if (Date.now() > deadline) assert.fail(`In vain: ${command} changes the document`);
    await vscode.commands.executeCommand(command);
    await delay(POLL_MS);
  }
}

function describe(api: EmberlineApi): string {
  return api.last === undefined ? 'none' : api.last.outcome.reason;
}

export async function set(name: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
}

/** Closes every editor and drops what was typed, so that no question to save comes up. */
export async function closeEditors(): Promise<void> {
  while (vscode.window.tabGroups.all.some((group) => group.tabs.length > 0)) {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
}

/** Writes a measured figure beside the results, where the test command prints it. */
export function figure(line: string): void {
  const results = process.env['EMBERLINE_TEST_RESULTS'];
  if (results !== undefined) appendFileSync(results.replace(/\.json$/, '-figures.txt'), `${line}\n`);
}
