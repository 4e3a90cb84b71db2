/** Edits of one place that a user looks through, until one of them is made or none. */
import * as vscode from 'vscode';
import { CandidateList } from '../../core/completion/candidate_list';
import { EditCandidates } from '../../core/edit/edit_candidates';
import type { EditEnding } from '../../core/edit/edit_endings';
import type { EditParts, EditProposal, EditRequest } from '../../core/edit/edit_proposal';
import { applied } from '../../core/edit/line_edit';
import type { EditPreview } from './edit_preview';

/** What a review has of the editor it belongs to. */
export interface ReviewParts extends EditParts {
  readonly preview: EditPreview;
  /** Has the model write, and shows that it does. Never rejects. */
  readonly write: (
    make: (signal: AbortSignal, onProgress: (piece: string) => void) => Promise<EditProposal>,
  ) => Promise<EditProposal>;
  /** Asks what is to be otherwise; undefined where nothing is. */
  readonly askAgain: () => Promise<string | undefined>;
  /** Says why nothing else is shown. */
  readonly tell: (proposal: EditProposal) => void;
}

export interface Reviewed {
  readonly ending: EditEnding;
  /** The edit that was made, or shown last; where there was nothing to show, why. */
  readonly proposal: EditProposal;
}

interface Candidate {
  readonly request: EditRequest;
  readonly proposal: EditProposal;
}

export class EditReview {
  private readonly parts: ReviewParts;
  private readonly document: vscode.TextDocument;
  private readonly version: number;
  private readonly title: string;
  private readonly candidates = new CandidateList<Candidate>();
  private shownAt = -1;
  private request: EditRequest;
  private search: EditCandidates;

  /** @param title Of what is done, such as "Edit Selection". */
  constructor(parts: ReviewParts, document: vscode.TextDocument, request: EditRequest, title: string) {
    this.parts = parts;
    this.document = document;
    this.version = document.version;
    this.title = title;
    this.request = request;
    this.search = new EditCandidates(parts, request);
  }

  /** Never rejects. Settles when the user has decided, or there is nothing to decide. */
  async run(): Promise<Reviewed> {
    const first = await this.write();
    if (first.ending !== 'proposed') {
      this.search.close();
      return { ending: first.ending, proposal: first };
    }
    this.add(first);
    const changes = this.discardWhenOutdated();
    const reviewed = await this.review(first);
    changes.dispose();
    this.search.close();
    if (this.parts.preview.open) await this.parts.preview.close();
    return reviewed;
  }

  private async review(first: EditProposal): Promise<Reviewed> {
    const { preview } = this.parts;
    let proposal = first;
    while (!this.isOutdated()) {
      proposal = this.candidates.current?.proposal ?? proposal;
      if (this.shownAt !== this.candidates.index) await this.show(proposal);
      const choice = await preview.choice();
      if (this.isOutdated()) break;
      switch (choice) {
        case 'apply':
          // Before the view is closed: it may be all that keeps the document open.
          return { ending: await this.apply(proposal), proposal };
        case 'discard':
          return { ending: 'discarded', proposal };
        case 'previous':
          this.candidates.back();
          break;
        case 'next':
          if (!this.candidates.forth()) await this.another();
          break;
        case 'again':
          await this.again();
      }
    }
    return { ending: 'document_changed', proposal };
  }

  /** Nobody need decide on what can no longer be made. */
  private discardWhenOutdated(): vscode.Disposable {
    const discard = (document: vscode.TextDocument): void => {
      if (document === this.document && this.isOutdated()) this.parts.preview.choose('discard');
    };
    return vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        discard(document);
      }),
      vscode.workspace.onDidCloseTextDocument(discard),
    );
  }

  /** What was proposed was so for a text that is no more. */
  private isOutdated(): boolean {
    return this.document.isClosed || this.document.version !== this.version;
  }

  private async show(proposal: EditProposal): Promise<void> {
    const { count, index } = this.candidates;
    const { instruction } = this.candidates.current?.request ?? this.request;
    const title = `${this.title}: ${instruction}`;
    this.shownAt = index;
    await this.parts.preview.show(
      this.document,
      applied(this.document.getText(), proposal.replacements),
      count === 1 ? title : vscode.l10n.t('{0} ({1} of {2})', title, index + 1, count),
    );
  }

  private async another(): Promise<void> {
    const proposal = await this.write();
    if (proposal.ending === 'proposed') this.add(proposal);
    else this.tell(proposal);
  }

  /** The edit that is shown stays in the conversation: the model reads it, and what is to be otherwise. */
  private async again(): Promise<void> {
    const shown = this.candidates.current;
    const instruction = await this.parts.askAgain();
    if (shown === undefined || instruction === undefined || this.parts.preview.isDecided) return;
    const { earlier = [], instruction: before } = shown.request;
    const turn = { instruction: before, answer: shown.proposal.answer ?? '' };
    const request = { ...this.request, instruction, earlier: [...earlier, turn] };
    const search = new EditCandidates(this.parts, request, shown.proposal);
    const proposal = await this.parts.write((signal, onProgress) => search.next(signal, onProgress));
    if (proposal.ending !== 'proposed') {
      search.close();
      this.tell(proposal);
      return;
    }
    this.search.close();
    this.search = search;
    this.request = request;
    this.add(proposal);
  }

  private write(): Promise<EditProposal> {
    return this.parts.write((signal, onProgress) => this.search.next(signal, onProgress));
  }

  private add(proposal: EditProposal): void {
    this.candidates.add({ request: this.request, proposal });
  }

  /** Whoever cancelled knows. */
  private tell(proposal: EditProposal): void {
    if (proposal.ending !== 'cancelled' && !this.isOutdated()) this.parts.tell(proposal);
  }

  private async apply(proposal: EditProposal): Promise<EditEnding> {
    if (this.isOutdated()) return 'document_changed';
    const edit = new vscode.WorkspaceEdit();
    for (const { offset, length, text } of proposal.replacements) {
      const { document } = this;
      const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
      edit.replace(document.uri, range, text);
    }
    return (await vscode.workspace.applyEdit(edit)) ? 'applied' : 'document_changed';
  }
}
