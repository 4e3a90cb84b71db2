/**
 * Editing by instruction in an editor: the user says what to do, the model proposes, and VS Code's own diff view shows it before
 * anything changes.
 */
import * as vscode from 'vscode';
import { askedOptions, type CompletionOptions } from '../../core/completion/options';
import { REASONS } from '../../core/completion/reasons';
import { refusal } from '../../core/completion/trigger';
import { indentationUnit } from '../../core/completion/document';
import { snapshotOf } from '../editor/editor_snapshot';
import { withProgress } from '../progress';
import { EDIT_ENDINGS, type EditEnding } from '../../core/edit/edit_endings';
import { askAgain } from './ask_again';
import { editText } from './edit_text';
import { EditPreview, type PreviewChoice } from './edit_preview';
import { EditReview, type ReviewParts } from './edit_review';
import {
  type EditParts,
  type EditProposal,
  type EditRequest,
  unableNow,
} from '../../core/edit/edit_proposal';

/** Of text before the cursor, how many lines are shown where lines are added. */
const LINES_SHOWN = 30;
export interface StructuredEdit extends Pick<EditProposal, 'ending' | 'sentence' | 'problem'> {
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
  /** What is to be otherwise, where that is given. */
  private otherwise: string | undefined;

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
    if (this.running || this.preview.open) return ended('already_running');
    const { engine } = this.parts;
    // Nobody writes an instruction in vain; a model that is still loaded may run by then.
    const unable = engine.state === 'loading' ? undefined : unableNow(engine);
    if (unable !== undefined) return unable;
    const { document, selection } = editor;
    const snapshot = snapshotOf(document, selection.active);
    const refused = refusal(
      { ...snapshot, selectionEmpty: true, cursors: 1, after: '' },
      askedOptions(this.options()),
    );
    if (refused !== undefined && refused !== 'blank_document') {
      return { ...ended('not_here'), sentence: REASONS[refused] };
    }
    const { adds } = kind;
    const [first, last] = adds ? linesBefore(selection.active.line) : linesOf(document, selection);
    const before = textOf(document, first, last);
    const instruction = given ?? (await askFor(kind));
    if (instruction === undefined || instruction.trim() === '') return ended('cancelled');
    // Other lines may stand now where those were that were selected.
    if (document.isClosed || textOf(document, first, last) !== before) return ended('document_changed');
    const request: EditRequest = {
      instruction,
      text: document.getText(),
      languageId: document.languageId,
      first: first + 1,
      last: last + 1,
      adds,
      unit: indentationUnit(snapshot),
    };
    const { ending, proposal } = await this.reviewOf(document, request, kind).run();
    const sentence = ending === proposal.ending ? proposal.sentence : EDIT_ENDINGS[ending];
    const edit = { ending, sentence, problem: proposal.problem, proposal };
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

  private reviewOf(document: vscode.TextDocument, request: EditRequest, kind: EditKind): EditReview {
    const parts: ReviewParts = {
      ...this.parts,
      preview: this.preview,
      write: (make) => this.write(kind, make),
      askAgain: () => this.askAgain(),
      tell: (edit) => void vscode.window.showInformationMessage(`Emberline: ${editText(edit)}`),
    };
    return new EditReview(parts, document, request, kind.title);
  }

  private async write(kind: EditKind, make: Parameters<ReviewParts['write']>[0]): Promise<EditProposal> {
    const controller = new AbortController();
    // Who decides on what is shown waits for nothing else.
    const decided = this.preview.onDidDecide(() => controller.abort());
    this.enter(controller);
    try {
      return await withProgress(kind.title, (cancelled, progress) => {
        let lines = 0;
        return make(AbortSignal.any([controller.signal, cancelled]), (piece) => {
          lines += piece.split('\n').length - 1;
          progress.report({
            message: lines === 1 ? vscode.l10n.t('one line') : vscode.l10n.t('{0} lines', lines),
          });
        });
      });
    } finally {
      decided.dispose();
      this.enter(undefined);
    }
  }

  private askAgain(): Promise<string | undefined> {
    const given = this.otherwise;
    this.otherwise = undefined;
    return askAgain(given);
  }

  /** True while edits are shown. */
  get previewing(): boolean {
    return this.preview.open;
  }

  /** Chooses for the user among the edits that are shown. While the model writes another one, they can be decided on alone. */
  choose(choice: Exclude<PreviewChoice, 'again'>): void {
    if (this.running && choice !== 'apply' && choice !== 'discard') return;
    this.preview.choose(choice);
  }

  /**
   * The edit that is shown again, but otherwise.
   * @param given What is to be otherwise; the user is asked where it is left out.
   */
  again(given?: string): void {
    if (!this.preview.open || this.running) return;
    this.otherwise = given;
    this.preview.choose('again');
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

/** Of lines, but for blanks at their ends: an editor that saves by itself, as soon as something is asked, may take those away. */
function textOf(document: vscode.TextDocument, first: number, last: number): string {
  const lines: string[] = [];
  for (let line = first; line <= last && line < document.lineCount; line++)
    lines.push(document.lineAt(line).text.trimEnd());
  return lines.join('\n');
}

function ended(ending: EditEnding): StructuredEdit {
  return { ending, sentence: EDIT_ENDINGS[ending] };
}
