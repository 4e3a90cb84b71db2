/**
 * Text that grows in a document while it is made, as one undo step. Edits elsewhere move it along; one that touches it ends it,
 * because then it belongs to whoever made that edit.
 */
import * as vscode from 'vscode';
import type { Replacement } from '../../core/completion/document';
import { TrackedRange } from '../../core/generate/tracked_range';
import { onDidEndDocument } from '../editor/document_end';
import { editorOf } from '../editor/editor_snapshot';
import { replacementsOf } from '../editor/replacements';

/** Why nothing more can be inserted: someone edited the text, the document was closed, or it takes no edits. */
export type Interruption = 'edited' | 'closed' | 'refused';

interface UndoStops {
  readonly undoStopBefore: boolean;
  readonly undoStopAfter: boolean;
}

export class Insertion implements vscode.Disposable {
  private readonly document: vscode.TextDocument;
  private readonly range: TrackedRange;
  private readonly interrupted: (why: Interruption) => void;
  private readonly subscriptions: readonly vscode.Disposable[];
  /** What comes next, and what is held back: the last edit of all has to be known, for it closes the undo step. */
  private ready = '';
  private held = '';
  /** What stands behind the text, on its line, and gives way to its last edit. */
  private replaced = '';
  private finishing = false;
  /** The edit that is on its way through the editor. */
  private own: Replacement | undefined;
  private writing = Promise.resolve();
  /** Whether what is ready is on its way: over with the last edit, whereas `writing` settles a moment later. */
  private pumping = false;
  private why: Interruption | undefined;

  /** @param interrupted Called once when nothing more can be inserted. */
  constructor(
    document: vscode.TextDocument,
    position: vscode.Position,
    interrupted: (why: Interruption) => void,
  ) {
    this.document = document;
    this.range = new TrackedRange(document.offsetAt(position));
    this.interrupted = interrupted;
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument((event) => this.onChange(event)),
      onDidEndDocument((ended) => {
        if (ended === document) this.interrupt('closed');
      }),
    ];
  }

  get interruption(): Interruption | undefined {
    return this.why;
  }

  /** The text in the document so far; its line breaks are the document's. */
  get text(): string {
    return this.why === 'closed' ? '' : this.document.getText(this.positions());
  }

  /** Adds to the text. */
  write(text: string): void {
    if (text === '') return;
    this.ready += this.held;
    this.held = this.document.eol === vscode.EndOfLine.CRLF ? text.replaceAll('\n', '\r\n') : text;
    void this.pump();
  }

  /**
   * Settles once all of the text stands in the document, or nothing more can be inserted. Ends the undo step.
   * @param replaced What its end replaces, behind the text and on its line. Where that is something else by now, it belongs to
   *   whoever made it so.
   */
  async finish(replaced = ''): Promise<void> {
    // What is on its way must not take the held part along: only the edit made below ends the step.
    await this.writing;
    this.finishing = true;
    this.replaced = replaced;
    this.ready += this.held;
    this.held = '';
    await this.pump();
  }

  /**
   * Takes the text out of the document again, or says why it stays.
   * @param ownStep Whether that is an undo step of its own, or part of the one that inserts the text; that one must not be
   *   finished.
   */
  async drop(ownStep: boolean): Promise<Interruption | undefined> {
    this.ready = '';
    this.held = '';
    await this.writing;
    while (this.why === undefined && !this.range.isEmpty) {
      const { start, end } = this.range;
      await this.attempt({ offset: start, length: end - start, text: '' }, stops(ownStep, true));
    }
    return this.why;
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private pump(): Promise<void> {
    if (!this.pumping) this.writing = this.writeAll();
    return this.writing;
  }

  private async writeAll(): Promise<void> {
    this.pumping = true;
    while (this.ready !== '' && this.why === undefined) {
      // Nothing is written behind the back of whoever looks at another file now: it is there when they come back.
      if (editorOf(this.document) === undefined && !this.finishing) break;
      await this.writeReady();
    }
    this.pumping = false;
  }

  /** Writes what is ready, or leaves it so. */
  private async writeReady(): Promise<void> {
    const text = this.ready;
    const last = this.finishing;
    const replaced = last ? this.replaced : '';
    const offset = this.range.end;
    const { length } = replaced;
    if (this.document.getText(this.rangeAt(offset, length)) !== replaced) {
      this.interrupt('edited');
      return;
    }
    this.ready = '';
    const done = await this.attempt({ offset, length, text }, stops(this.range.isEmpty, last));
    if (!done) this.ready = text + this.ready;
  }

  /** Makes one edit. When it fails, it is to be tried again where the text is now, unless that was the interruption. */
  private async attempt(replacement: Replacement, undoStops: UndoStops): Promise<boolean> {
    const editor = editorOf(this.document);
    const { version } = this.document;
    if (await this.replace(replacement, undoStops)) return true;
    // Someone was quicker, or the editor is gone. Else the document takes no edits.
    if (this.document.version === version && editorOf(this.document) === editor) this.interrupt('refused');
    return false;
  }

  /** Makes one edit; false when the document did not take it. */
  private async replace(replacement: Replacement, undoStops: UndoStops): Promise<boolean> {
    const { offset, length, text } = replacement;
    const editor = editorOf(this.document);
    const range = this.rangeAt(offset, length);
    const follows = editor?.selection.isEmpty === true && editor.selection.active.isEqual(range.start);
    this.own = replacement;
    try {
      const done =
        editor === undefined
          ? await this.replaceUnseen(range, text)
          : await editor.edit((builder) => {
              if (length === 0) builder.insert(range.start, text);
              else builder.replace(range, text);
            }, undoStops);
      // A read-only editor says that it is done, too; the event of a change comes before the answer.
      if (!done || this.isOnItsWay(replacement)) return false;
      if (editor !== undefined && follows) this.moveToEnd(editor);
      return true;
    } catch {
      // The editor was closed meanwhile.
      return false;
    } finally {
      this.own = undefined;
    }
  }

  private isOnItsWay(replacement: Replacement): boolean {
    return this.own === replacement;
  }

  private async replaceUnseen(range: vscode.Range, text: string): Promise<boolean> {
    const edit = new vscode.WorkspaceEdit();
    edit.replace(this.document.uri, range, text);
    return vscode.workspace.applyEdit(edit);
  }

  /** The cursor stays behind the text while it grows, and in sight. */
  private moveToEnd(editor: vscode.TextEditor): void {
    const { end } = this.positions();
    if (!editor.selection.active.isEqual(end)) editor.selection = new vscode.Selection(end, end);
    editor.revealRange(new vscode.Range(end, end));
  }

  private positions(): vscode.Range {
    const { start, end } = this.range;
    return this.rangeAt(start, end - start);
  }

  private rangeAt(offset: number, length: number): vscode.Range {
    return new vscode.Range(this.document.positionAt(offset), this.document.positionAt(offset + length));
  }

  private onChange(event: vscode.TextDocumentChangeEvent): void {
    if (event.document !== this.document || event.contentChanges.length === 0) return;
    const replacements = replacementsOf(event);
    if (this.own !== undefined && replacements.length === 1 && same(replacements[0], this.own)) {
      this.range.rewrite(this.own);
      this.own = undefined;
    } else if (!this.range.follow(replacements)) {
      this.interrupt('edited');
    }
  }

  private interrupt(why: Interruption): void {
    if (this.why !== undefined) return;
    this.why = why;
    this.interrupted(why);
  }
}

function stops(undoStopBefore: boolean, undoStopAfter: boolean): UndoStops {
  return { undoStopBefore, undoStopAfter };
}

function same(one: Replacement | undefined, other: Replacement): boolean {
  return one?.offset === other.offset && one.length === other.length && one.text === other.text;
}
