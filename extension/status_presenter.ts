/** What the status bar says: from what the engine, the settings and the user's pause come to, and who waits for a suggestion. */
import * as vscode from 'vscode';
import { type Reason, REASONS } from '../core/completion/reasons';
import type { SchemaNote } from '../core/completion/schema_port';
import { SCHEMA_USES } from '../core/completion/schema_use';
import { ofMoment } from '../core/completion/trigger';
import type { FinishedRequest } from './completion/provider';
import type { Config } from './config';
import type { EngineLifecycle } from './engine_lifecycle';
import { modelDetail } from './model_summary';
import type { RemoteControl } from './remote/remote_control';
import type { Restraints } from './restraints';
import { type Status, statusOf } from './status';
import { StatusBar } from './status_bar';

/** The status bar says 'working' only after this long, so that it does not flicker with each keystroke, ms. */
const WORKING_AFTER_MS = 150;

export interface StatusParts {
  readonly config: Config;
  readonly engine: EngineLifecycle;
  readonly restraints: Restraints;
  readonly control: RemoteControl;
  /** True while a text or an edit is written. */
  readonly writing: () => boolean;
}

export class StatusPresenter implements vscode.Disposable {
  private readonly parts: StatusParts;
  private readonly bar = new StatusBar();
  private readonly changed = new vscode.EventEmitter<Status>();
  private readonly subscriptions: readonly vscode.Disposable[];
  private shown: Status = 'loading';
  private lastSchema: { readonly note?: SchemaNote; readonly of?: string } = {};
  private workingTimer: NodeJS.Timeout | undefined;
  private working = false;

  readonly onDidChange = this.changed.event;

  constructor(parts: StatusParts) {
    this.parts = parts;
    this.subscriptions = [
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
      // A document is closed and opened again where its language changes.
      vscode.workspace.onDidOpenTextDocument((document) => {
        if (document === vscode.window.activeTextEditor?.document) this.refresh();
      }),
    ];
  }

  get status(): Status {
    return this.shown;
  }

  get tooltip(): string {
    return this.bar.tooltip;
  }

  /** Why suggestions do not come by themselves in the editor one is in, whatever the document. */
  get held(): Reason | undefined {
    const { config, restraints } = this.parts;
    const language = vscode.window.activeTextEditor?.document.languageId;
    const off = language !== undefined && !config.isEnabledFor(language);
    return ofMoment(restraints.applied, false) ?? (off ? 'disabled_for_language' : undefined);
  }

  /** Something is asked. */
  requestStarted(): void {
    this.workingTimer ??= setTimeout(() => {
      this.working = true;
      this.refresh();
    }, WORKING_AFTER_MS);
  }

  /** @param pending Requests that go on. */
  requestEnded({ uri, outcome }: FinishedRequest, pending: number): void {
    // Suggestions that are remembered follow what the one that was computed did.
    if (outcome.schema !== undefined) {
      this.lastSchema = { note: outcome.schema, of: uri };
      this.refresh();
    }
    if (pending > 0) return;
    clearTimeout(this.workingTimer);
    this.workingTimer = undefined;
    if (!this.working) return;
    this.working = false;
    this.refresh();
  }

  refresh(): void {
    const { restraints, control } = this.parts;
    const status = this.present();
    const pausedUntil = restraints.pause.until;
    this.bar.update(status, { lines: this.lines(status), pausedUntil, remote: control.state });
    if (status === this.shown) return;
    this.shown = status;
    this.changed.fire(status);
  }

  dispose(): void {
    clearTimeout(this.workingTimer);
    for (const subscription of this.subscriptions) subscription.dispose();
    this.bar.dispose();
    this.changed.dispose();
  }

  private present(): Status {
    const { config, control, engine, restraints, writing } = this.parts;
    const language = vscode.window.activeTextEditor?.document.languageId;
    const isElsewhere = control.state === 'answers' && engine.state === 'failed';
    return statusOf({
      // Suggestions come all the same; the tooltip says what is wrong with the one of this machine.
      engine: isElsewhere ? 'ready' : engine.state,
      writing: writing(),
      working: this.working,
      enabled: config.completion.enabled,
      enabledHere: language === undefined || config.isEnabledFor(language),
      restraint: restraints.current,
    });
  }

  /** What the tooltip says below the status. */
  private lines(status: Status): string[] {
    const { engine, control } = this.parts;
    const { error, info } = engine;
    const remote = control.detail === '' ? [] : [control.detail];
    if (error !== undefined) return [...remote, error.message];
    const why = status === 'paused' ? undefined : this.held;
    const said = why === undefined ? [] : [vscode.l10n.t(REASONS[why])];
    return [...said, ...remote, ...(info === undefined ? [] : modelDetail(info)), ...this.schemaLine()];
  }

  /** The line about the schema of the document one looks at, once something was suggested in it. */
  private schemaLine(): string[] {
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    const { note, of } = this.lastSchema;
    if (note === undefined || of !== uri) return [];
    return [`${vscode.l10n.t(SCHEMA_USES[note.use])}${note.detail === '' ? '' : ` (${note.detail})`}`];
  }
}
