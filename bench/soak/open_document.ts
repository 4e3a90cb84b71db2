/** A document that is open in the soak: its text, the slow model of it, and the cursor. */
import { type DocumentSnapshot, type Replacement, snapshotOfText } from '../../core/completion/document';
import { languageOfPath } from '../../core/completion/languages';
import type { SessionStatistics } from '../../core/statistics/session_statistics';
import { SlowText, TypedText } from './typed_text';

export class OpenDocument {
  readonly uri: string;
  readonly path: string;
  readonly languageId: string;
  version = 1;
  cursor = 0;
  private readonly typed: TypedText;
  private readonly slow: SlowText;
  private readonly statistics: Pick<SessionStatistics, 'changed'>;

  constructor(uri: string, path: string, text: string, statistics: Pick<SessionStatistics, 'changed'>) {
    this.uri = uri;
    this.path = path;
    this.languageId = languageOfPath(path);
    this.typed = new TypedText(text);
    this.slow = new SlowText(text);
    this.statistics = statistics;
  }

  get text(): string {
    return this.typed.text;
  }

  /** Whether the text is what was typed. */
  get isAsTyped(): boolean {
    return this.typed.text === this.slow.text;
  }

  snapshot(): DocumentSnapshot {
    const { uri, path, languageId, text, cursor } = this;
    return snapshotOfText({ uri, path, languageId, text, offset: cursor });
  }

  apply(edit: Replacement): void {
    this.slow.apply(edit);
    this.typed.apply(edit);
    this.changed(edit);
  }

  /** Types at the cursor, in place of the next `replace` units. */
  type(text: string, replace = 0): void {
    this.apply({ offset: this.cursor, length: replace, text });
  }

  undo(): void {
    const edit = this.typed.undo();
    if (edit === undefined) return;
    this.slow.undo();
    this.changed(edit);
  }

  private changed(edit: Replacement): void {
    this.version++;
    this.cursor = edit.offset + edit.text.length;
    this.statistics.changed(this.uri, this.version, [edit], performance.now());
  }
}
