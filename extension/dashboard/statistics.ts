/** Counts what the editor tells of requests and edits, and keeps what came of suggestions in a small file: counts by language, no text and no paths. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import { SessionStatistics } from '../../core/statistics/session_statistics';
import { type Usage, UsageTotals } from '../../core/statistics/usage';
import { UsageFile } from '../../core/statistics/usage_file';
import type { FinishedRequest } from '../completion/provider';
import { replacementsOf } from '../editor/replacements';

/** What was counted is written so long after it was, ms: a crash loses no more. */
const SAVE_AFTER_MS = 30_000;
const FILE = 'statistics.json';

export class Statistics implements vscode.Disposable {
  readonly session = new SessionStatistics();
  /** Of the file. */
  readonly path: string;
  private readonly file: UsageFile;
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly subscriptions: readonly vscode.Disposable[];
  /** What the file had when it was last looked at. */
  private stored: Usage | undefined;
  /** What is being added to it. */
  private underWay: Usage | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** Fires when something was counted. */
  readonly onDidChange = this.changed.event;

  /** @param storage The folder that VS Code gives the extension for data of its own. */
  constructor(onDidFinish: vscode.Event<FinishedRequest>, storage: string) {
    this.path = join(storage, FILE);
    this.file = new UsageFile(this.path);
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument((event) => {
        const { uri, version } = event.document;
        const changes = replacementsOf(event);
        // Logs grow by themselves, with each request even.
        if (changes.length === 0 || uri.scheme === 'output') return;
        this.session.changed(uri.toString(), version, changes, performance.now());
        this.saveLater();
      }),
      vscode.workspace.onDidCloseTextDocument((document) => this.session.closed(document.uri.toString())),
      onDidFinish((request) => {
        this.session.ended(request);
        this.saveLater();
        this.changed.fire(undefined);
      }),
    ];
  }

  /** What is shown was dismissed. */
  dismissed(): void {
    this.session.dismissed();
  }

  /** Of all sessions. */
  async usage(): Promise<Usage> {
    this.stored ??= await this.file.read();
    const { usage } = this.session;
    const totals = new UsageTotals(new Date(usage.snapshot().since));
    for (const part of [this.stored, this.underWay]) if (part !== undefined) totals.add(part);
    totals.add(usage.snapshot());
    return totals.snapshot();
  }

  /** Writes what is not written yet. Never rejects. */
  async save(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { usage } = this.session;
    if (usage.isEmpty) return;
    const counted = usage.snapshot();
    usage.clear();
    this.underWay = counted;
    const sum = await this.file.add(counted);
    this.underWay = undefined;
    // On a full or read-only disk it is counted for this session.
    if (sum === undefined) usage.add(counted);
    else this.stored = sum;
  }

  /** Forgets what was counted, in this session and before. Never rejects. */
  async clear(): Promise<void> {
    this.session.usage.clear();
    await this.file.clear();
    this.stored = undefined;
    this.changed.fire(undefined);
  }

  /** Settles when all is written. */
  async close(): Promise<void> {
    this.dispose();
    await this.save();
    // What was being written before comes first.
    await this.file.read();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
  }

  private saveLater(): void {
    this.timer ??= setTimeout(() => void this.save(), SAVE_AFTER_MS);
  }
}
