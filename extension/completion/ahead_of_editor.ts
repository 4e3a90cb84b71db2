/** Begins what the editor will ask behind a key, as soon as the cursor has followed it (core/completion/head_start.ts). */
import type * as vscode from 'vscode';
import type { DocumentSnapshot } from '../../core/completion/document';
import type { Suggestions } from '../../core/completion/suggestions';
import { snapshotOf } from '../editor/editor_snapshot';
import type { Surroundings } from '../editor/surroundings';
import { FollowedKeys } from './followed_keys';

/** Where a suggestion was begun, and what was read there for it. */
interface Foreseen {
  readonly document: vscode.TextDocument;
  readonly version: number;
  readonly position: vscode.Position;
  readonly snapshot: DocumentSnapshot;
}

export class AheadOfEditor implements vscode.Disposable {
  private readonly suggestions: Pick<Suggestions, 'foresee' | 'foresees' | 'foreseen'>;
  private readonly others: Pick<Surroundings, 'beside' | 'snippets'>;
  private readonly keys = new FollowedKeys((editor) => this.begin(editor));
  private foreseen: Foreseen | undefined;

  /** @param others What there is beside a document. */
  constructor(
    suggestions: Pick<Suggestions, 'foresee' | 'foresees' | 'foreseen'>,
    others: Pick<Surroundings, 'beside' | 'snippets'>,
  ) {
    this.suggestions = suggestions;
    this.others = others;
  }

  /**
   * What the editor asks about. Nothing is read twice: all of a large JSON document may be in it.
   * @param explicit Somebody asked the editor to.
   */
  asked(
    document: vscode.TextDocument,
    position: vscode.Position,
    selected: vscode.SelectedCompletionInfo | undefined,
    explicit: boolean,
  ): DocumentSnapshot {
    this.keys.asked(!explicit && selected === undefined);
    const { foreseen } = this;
    this.foreseen = undefined;
    const isForeseen =
      selected === undefined &&
      foreseen?.document === document &&
      foreseen.version === document.version &&
      foreseen.position.isEqual(position) &&
      foreseen.snapshot === this.suggestions.foreseen;
    return isForeseen ? foreseen.snapshot : snapshotOf(document, position, selected);
  }

  dispose(): void {
    this.keys.dispose();
  }

  private begin({ document, selection: { active: position } }: vscode.TextEditor): void {
    if (!this.suggestions.foresees) return;
    const snapshot = snapshotOf(document, position);
    // What is committed is asked for first there.
    if (snapshot.kind === 'source_control') return;
    this.foreseen = { document, position, version: document.version, snapshot };
    const { beside, snippets } = this.others;
    this.suggestions.foresee({ document: snapshot, beside: beside(snapshot.uri), snippets });
  }
}
