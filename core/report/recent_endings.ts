/** How the last requests ended, for a report: words of closed sets and figures, no text. */
import type { CompletionOutcome } from '../completion/outcome';
import type { Reason } from '../completion/reasons';
import type { SchemaUse } from '../completion/schema_use';
import type { Stop } from '../completion/stop';

export interface RecentEnding {
  readonly languageId: string;
  readonly reason: Reason;
  readonly stop: Stop;
  readonly source: CompletionOutcome['source'];
  readonly schema: SchemaUse | undefined;
  /** How many of them came in a row. */
  readonly times: number;
}

const MOST_ENDINGS = 20;
const MOST_ERRORS = 10;

export class RecentEndings {
  private readonly kept: RecentEnding[] = [];
  private readonly codes: string[] = [];

  /** Oldest first. */
  get endings(): readonly RecentEnding[] {
    return this.kept;
  }

  /** Codes of errors, oldest first. */
  get errors(): readonly string[] {
    return this.codes;
  }

  add(languageId: string, { reason, stop, source, schema }: CompletionOutcome): void {
    const ending = { languageId, reason, stop, source, schema: schema?.use };
    const last = this.kept.at(-1);
    const again =
      last !== undefined && JSON.stringify({ ...ending, times: last.times }) === JSON.stringify(last);
    if (again) this.kept.pop();
    this.kept.push({ ...ending, times: again ? last.times + 1 : 1 });
    if (this.kept.length > MOST_ENDINGS) this.kept.shift();
  }

  addError(code: string): void {
    this.codes.push(code);
    if (this.codes.length > MOST_ERRORS) this.codes.shift();
  }
}
