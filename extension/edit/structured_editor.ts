/**
 * Editing by instruction in an editor: the user says what to do, the model proposes, and VS Code's own diff view shows it before
 * anything changes.
 */
import * as vscode from 'vscode';
import type { CompletionOptions } from '../../core/completion/options';
import { REASONS } from '../../core/completion/reasons';
import { refusal } from '../../core/completion/trigger';
import { indentationUnit } from '../../core/completion/document';
import { snapshotOf } from '../editor/editor_snapshot';
import { EDIT_ENDINGS, type EditEnding } from '../../core/edit/edit_endings';
import { EditPreview } from './edit_preview';
import { applied } from '../../core/edit/line_edit';
import {
  type EditParts,
  type EditProposal,
  type EditRequest,
  proposeEdit,
} from '../../core/edit/edit_proposal';

/** Of text before the cursor, how many lines are shown where lines are added. */
const LINES_SHOWN = 30;

export interface StructuredEdit {
  readonly ending: EditEnding;
  /** One sentence for whoever asked. */
  readonly sentence: string;
  readonly proposal?: EditProposal;
}

export interface EditKind {
  readonly adds: boolean;
  readonly title: string;
  readonly placeHolder: string;
}

export function editSelectionKind(): EditKind {
  return {
    adds: false,
    title: vscode.l10n.t('Emberline: Edit Selection'),
    placeHolder: vscode.l10n.t(
      'For example: rename total to sum; add a parameter timeout = 30; add a docstring',
    ),
  };
}

export function generateLinesKind(): EditKind {
  return {
    adds: true,
    title: vscode.l10n.t('Emberline: Generate'),
    placeHolder: vscode.l10n.t('What to write at the cursor, for example: a function that reverses a string'),
  };
}

export class StructuredEditor implements vscode.Disposable {
  private readonly parts: EditParts;
  private readonly options: () => CompletionOptions;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly finished = new vscode.EventEmitter<StructuredEdit>();
  private readonly preview = new EditPreview();
  private current: AbortController | undefined;

  /** Fires when the model begins to write an edit and when it has. */
  readonly onDidChange = this.changed.event;
  readonly onDidFinish = this.finished.event;

  constructor(parts: EditParts, options: () => CompletionOptions) {
    this.parts = parts;
    this.options = options;
  }

  /** True while the model writes an edit. */
  get running(): boolean {
    return this.current !== undefined;
  }

  /**
   * Never rejects: what goes wrong is an ending. Settles when the edit is made or will not be.
   * @param given The instruction; the user is asked where it is left out.
   */
  async edit(editor: vscode.TextEditor | undefined, kind: EditKind, given?: string): Promise<StructuredEdit> {
    if (editor === undefined) return ended('no_editor');
    if (this.running || this.preview.open || this.parts.engine.generating === true)
      return ended('already_running');
    const { document } = editor;
    const refused = refusal(
      { ...snapshotOf(document, editor.selection.active), selectionEmpty: true, cursors: 1, after: '' },
      { ...this.options(), enabled: true, languages: { '*': true, scminput: true } },
    );
    if (refused !== undefined && refused !== 'blank_document') {
      return { ...ended('not_here'), sentence: REASONS[refused] };
    }
    const { selection } = editor;
    const instruction = given ?? (await askFor(kind));
    if (instruction === undefined || instruction.trim() === '') return ended('cancelled');
    const { version } = document;
    const request = requestFor(editor, selection, kind, instruction);
    const proposal = await this.propose(request, kind);
    const edit = await this.finish(document, version, kind, instruction, proposal);
    this.finished.fire(edit);
    return edit;
  }

  /** Stops the model; nothing is changed then. */
  stop(): void {
    this.current?.abort();
  }

  dispose(): void {
    this.stop();
    this.preview.dispose();
    this.changed.dispose();
    this.finished.dispose();
  }

  private async propose(request: EditRequest, kind: EditKind): Promise<EditProposal> {
    const controller = new AbortController();
    this.enter(controller);
    try {
      return await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: kind.title, cancellable: true },
        async (progress, token) => {
          token.onCancellationRequested(() => controller.abort());
          let lines = 0;
          return proposeEdit(this.parts, request, controller.signal, (piece) => {
            lines += piece.split('\n').length - 1;
            progress.report({
              message: lines === 1 ? vscode.l10n.t('one line') : vscode.l10n.t('{0} lines', lines),
            });
          });
        },
      );
    } finally {
      this.enter(undefined);
    }
  }

  private async finish(
    document: vscode.TextDocument,
    version: number,
    kind: EditKind,
    instruction: string,
    proposal: EditProposal,
  ): Promise<StructuredEdit> {
    if (proposal.ending !== 'proposed') return { ...proposal, proposal };
    const outdated = (): boolean => document.isClosed || document.version !== version;
    if (outdated()) return { ...ended('document_changed'), proposal };
    const result = applied(document.getText(), proposal.replacements);
    const confirmed = await this.preview.confirms(document, result, `${kind.title}: ${instruction}`);
    if (!confirmed) return { ...ended('discarded'), proposal };
    if (outdated()) return { ...ended('document_changed'), proposal };
    const done = await vscode.workspace.applyEdit(workspaceEdit(document, proposal));
    return { ...ended(done ? 'applied' : 'document_changed'), proposal };
  }

  /** Answers for the user whether the edit that is shown is made. */
  decide(applies: boolean): void {
    this.preview.decide(applies);
  }

  private enter(controller: AbortController | undefined): void {
    this.current = controller;
    this.changed.fire();
  }
}

async function askFor({ title, placeHolder }: EditKind): Promise<string | undefined> {
  const prompt = vscode.l10n.t('What to change. The embedded model is small: one plain step at a time.');
  return vscode.window.showInputBox({ title, placeHolder, prompt, ignoreFocusOut: true });
}

function requestFor(
  { document, options }: vscode.TextEditor,
  selection: vscode.Selection,
  { adds }: EditKind,
  instruction: string,
): EditRequest {
  const tabs = options.insertSpaces === false;
  const tabSize = typeof options.tabSize === 'number' ? options.tabSize : 4;
  const [first, last] = adds ? linesBefore(selection.active.line) : linesOf(document, selection);
  return {
    instruction,
    text: document.getText(),
    languageId: document.languageId,
    first: first + 1,
    last: last + 1,
    adds,
    unit: indentationUnit({ tabs, tabSize }),
  };
}

function linesBefore(line: number): readonly [number, number] {
  return [Math.max(0, line - LINES_SHOWN + 1), line];
}

/** The selected lines; where nothing is selected, those around the cursor up to the next blank ones. */
function linesOf(document: vscode.TextDocument, selection: vscode.Selection): readonly [number, number] {
  const { start, end } = selection;
  if (!selection.isEmpty) {
    // A line of which nothing is selected but its start is not meant.
    return [start.line, end.character === 0 && end.line > start.line ? end.line - 1 : end.line];
  }
  const blank = (line: number): boolean => document.lineAt(line).isEmptyOrWhitespace;
  let first = start.line;
  let last = start.line;
  while (first > 0 && !blank(first - 1)) first--;
  while (last < document.lineCount - 1 && !blank(last + 1)) last++;
  return [first, last];
}

function workspaceEdit(document: vscode.TextDocument, { replacements }: EditProposal): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  for (const { offset, length, text } of replacements) {
    const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
    edit.replace(document.uri, range, text);
  }
  return edit;
}

function ended(ending: EditEnding): StructuredEdit {
  return { ending, sentence: EDIT_ENDINGS[ending] };
}
