/** What `activate` returns: the state of the extension for tests and for other extensions. Not a stable interface yet. */
import type * as vscode from 'vscode';
import type { DraftingTotals } from '../core/completion/drafting_totals';
import type { Dashboard } from './dashboard/dashboard';
import type { Statistics } from './dashboard/statistics';
import type { FinishedRequest } from './completion/provider';
import type { NativeModelInfo } from '../core/engine/native_types';
import type { NativeError } from '../core/engine/native_result';
import type { Status } from './status';

/** Counts since activation. */
export interface Counters {
  /** Requests the editor made. */
  readonly requests: number;
  /** Of those, how many reached the model. */
  readonly modelCalls: number;
  readonly shown: number;
  readonly cancelled: number;
}

export interface EmberlineApi {
  readonly status: Status;
  /** What the status bar item says when it is pointed at. */
  readonly tooltip: string;
  /** When the pause ends, ms since 1970, or infinite; undefined where there is none. */
  readonly pausedUntil: number | undefined;
  /** Time `activate` took on the JS thread, ms. */
  readonly activationMs: number;
  readonly model: NativeModelInfo | undefined;
  /** Why the model could not be loaded. */
  readonly error: NativeError | undefined;
  readonly counters: Counters;
  /** What drafts came to since activation. */
  readonly drafting: DraftingTotals;
  /** What the dashboard shows and exports. */
  readonly dashboard: Pick<Dashboard, 'data' | 'exported' | 'isOpen'>;
  /** What is counted, and kept from session to session. */
  readonly statistics: Pick<Statistics, 'save' | 'clear' | 'path'>;
  /** The last request that came to an end. */
  readonly last: FinishedRequest | undefined;
  readonly onDidFinish: vscode.Event<FinishedRequest>;
  /** The URI of a document whose cursor rested, once the model has read the text around it. */
  readonly onDidPrepare: vscode.Event<string>;
  /** The URI of a document whose imports were followed to the files that they name. */
  readonly onDidFollowImports: vscode.Event<string>;
  readonly onDidChangeStatus: vscode.Event<Status>;
  /** A line of the log, without text of a document. */
  readonly onDidLog: vscode.Event<string>;
  /** Requests that have not come to an end. */
  readonly pending: number;
  /** What VS Code asks for ghost text. */
  readonly provider: vscode.InlineCompletionItemProvider;
}
