/**
 * Texts for one cursor that a user looks through where they stand: each takes the place of the one before, and is one undo step. It is over, and what stands
 * there stays, as soon as anything else changes the document or another one is edited.
 */
import * as vscode from 'vscode';
import { CandidateList } from '../../core/completion/candidate_list';
import type { DocumentSnapshot } from '../../core/completion/document';
import { askedAgain } from '../../core/generate/asked_again';
import { TextCandidates } from '../../core/generate/text_candidates';
import type { MadeText, TextMaker } from '../../core/generate/text_maker';
import { onDidEndDocument } from '../editor/document_end';
import { Insertion } from './insertion';

/** Where the texts stand. */
export interface ReviewedPlace {
  readonly document: vscode.TextDocument;
  readonly snapshot: DocumentSnapshot;
  /** The whole text before any of them. */
  readonly before: string;
  /** The cursor then, UTF-16 units. */
  readonly offset: number;
}

/** What came of looking for another one. */
export type Looked = 'shown' | 'none' | 'cancelled' | 'over' | MadeText;

/** Whether the editor that is active shows another document: a text is looked through where it stands alone. */
export function looksElsewhere(
  active: vscode.TextEditor | undefined,
  document: vscode.TextDocument,
): boolean {
  return active !== undefined && active.document !== document;
}

export class TextReview implements vscode.Disposable {
  private readonly maker: TextMaker;
  private readonly place: ReviewedPlace;
  private readonly ended: () => void;
  private readonly texts = new CandidateList<MadeText>();
  private readonly subscriptions: readonly vscode.Disposable[];
  private candidates: TextCandidates;
  private version: number;
  private standing: MadeText;
  private replacing = false;
  private isOver = false;

  /**
   * @param first Stands in the document.
   * @param ended Called once, when it is over.
   */
  constructor(maker: TextMaker, place: ReviewedPlace, first: MadeText, ended: () => void) {
    this.maker = maker;
    this.place = place;
    this.ended = ended;
    this.version = place.document.version;
    this.candidates = new TextCandidates(maker, { document: place.snapshot });
    this.candidates.begin(first);
    this.texts.add(first);
    this.standing = first;
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (document === place.document && contentChanges.length > 0 && !this.replacing) this.dispose();
      }),
      onDidEndDocument((ended) => {
        if (ended === place.document) this.dispose();
      }),
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (looksElsewhere(editor, place.document)) this.dispose();
      }),
    ];
  }

  get count(): number {
    return this.texts.count;
  }

  /** Of the one that stands in the document, from 0. */
  get index(): number {
    return this.texts.index;
  }

  /** What stands in the document. */
  get current(): MadeText | undefined {
    return this.texts.current;
  }

  /** The next text, made where there is none yet. Until it is whole, the one before stands. */
  async next(signal: AbortSignal): Promise<Looked> {
    if (this.texts.forth()) return this.show();
    return this.take(await this.candidates.next(signal));
  }

  async previous(): Promise<Looked> {
    return this.texts.back() ? this.show() : 'none';
  }

  /** A text that is otherwise: the model reads the one that stands there, and the instruction. */
  async again(instruction: string, signal: AbortSignal): Promise<Looked> {
    const shown = this.texts.current;
    if (shown === undefined) return 'over';
    const { snapshot } = this.place;
    const reads = askedAgain(snapshot, shown, instruction);
    const candidates = new TextCandidates(this.maker, { document: snapshot, reads }, shown.text);
    const looked = await this.take(await candidates.next(signal));
    if (looked === 'shown') this.candidates = candidates;
    return looked;
  }

  dispose(): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const subscription of this.subscriptions) subscription.dispose();
    this.ended();
  }

  private async take(made: MadeText | undefined): Promise<Looked> {
    if (this.isOver) return 'over';
    if (made === undefined) return 'none';
    if (!made.whole) return made.answer.ok ? 'cancelled' : made;
    this.texts.add(made);
    return this.show();
  }

  /** Takes the text out that stands there, and writes the other one. */
  private async show(): Promise<Looked> {
    const { document, before, offset } = this.place;
    const { current } = this.texts;
    if (this.isOver || current === undefined || document.version !== this.version) {
      this.dispose();
      return 'over';
    }
    this.replacing = true;
    await this.takeOut();
    const insertion = new Insertion(document, document.positionAt(offset), () => undefined);
    // Somebody was quicker.
    const isAsBefore = document.getText() === before;
    if (isAsBefore) {
      insertion.write(current.text);
      await insertion.finish(current.replaced);
    }
    this.standing = current;
    const { interruption } = insertion;
    insertion.dispose();
    this.replacing = false;
    this.version = document.version;
    if (isAsBefore && interruption === undefined) return 'shown';
    this.dispose();
    return 'over';
  }

  /** By an undo, which leaves no trace of it: the text was the last step. Where no undo reaches it, by an edit. */
  private async takeOut(): Promise<void> {
    const { document, before, offset } = this.place;
    if (vscode.window.activeTextEditor?.document === document) await vscode.commands.executeCommand('undo');
    if (document.version !== this.version) {
      // It was another step.
      if (document.getText() !== before) await vscode.commands.executeCommand('redo');
      return;
    }
    const { replaced } = this.standing;
    const behind = before.length - offset - replaced.length;
    const end = document.getText().length - behind;
    const edit = new vscode.WorkspaceEdit();
    const range = new vscode.Range(document.positionAt(offset), document.positionAt(end));
    edit.replace(document.uri, range, replaced);
    await vscode.workspace.applyEdit(edit);
  }
}
