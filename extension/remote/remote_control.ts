/** The remote engine in use: made from the settings, the key and the user's word, given up when one of them changes, and what is said of it. */
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { DocumentSnapshot } from '../../core/completion/document';
import { PromptWriter } from '../../core/completion/prompt_writer';
import type { NativeResult } from '../../core/engine/native_result';
import { BackOff } from '../../core/remote/back_off';
import { type Endpoint, endpointOf } from '../../core/remote/endpoint';
import { remoteError } from '../../core/remote/errors';
import { RemoteEngine } from '../../core/remote/remote_engine';
import { noTimes, type Remote } from '../../core/remote/remote_first';
import type { Config } from '../config';
import { isLeftAlone } from '../editor/left_alone';
import type { Calibrations } from '../models/calibrations';
import type { RemoteSettings } from '../settings';
import type { RemoteConsent } from './consent';
import type { RemoteKeys } from './remote_keys';

export interface ControlParts {
  readonly config: Config;
  readonly keys: RemoteKeys;
  readonly consent: RemoteConsent;
  readonly calibrations: Pick<Calibrations, 'of'>;
  /** A line for the log, without text of a document. */
  readonly log: (line: string) => void;
}

interface InUse extends Remote {
  readonly engine: RemoteEngine;
}

/** How the status bar shows it. */
export type RemoteState = 'none' | 'answers' | 'away';

export class RemoteControl implements vscode.Disposable {
  private readonly parts: ControlParts;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: readonly vscode.Disposable[];
  private inUse: InUse | undefined;
  /** Why none is in use though one is set; empty: none is set. */
  private obstacle = '';
  /** Counts what was made, so that one that was overtaken is recognised. */
  private generation = 0;
  private said = '';

  /** Fires when another engine is in use, or none, and when the one that is answers or fails. */
  readonly onDidChange = this.changed.event;

  constructor(parts: ControlParts) {
    this.parts = parts;
    this.subscriptions = [
      parts.config.onDidChangeRemote(() => void this.refresh()),
      parts.keys.onDidChange((isOf) => {
        const endpoint = endpointOf(parts.config.remote.url);
        if (endpoint.ok && isOf(endpoint.value)) void this.refresh();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.changed.fire()),
    ];
  }

  /** Undefined: the engine on this machine alone is asked. */
  get current(): Remote | undefined {
    return vscode.workspace.isTrusted ? this.inUse : undefined;
  }

  get state(): RemoteState {
    if (this.parts.config.remote.url === '') return 'none';
    return this.current === undefined || this.current.backOff.reason !== undefined ? 'away' : 'answers';
  }

  /** A line for the tooltip; empty where none is set. */
  get detail(): string {
    if (this.parts.config.remote.url === '') return '';
    if (!vscode.workspace.isTrusted)
      return vscode.l10n.t('Remote engine: not asked in a workspace that is not trusted');
    if (this.inUse === undefined)
      return this.obstacle === '' ? '' : vscode.l10n.t('Remote engine: {0}', this.obstacle);
    const { engine, backOff } = this.inUse;
    const { reason } = backOff;
    if (reason !== undefined) return vscode.l10n.t('This machine answers: {0}', reason.message);
    const model = engine.server?.model ?? '';
    return model === ''
      ? vscode.l10n.t('Remote engine: {0}', engine.host)
      : vscode.l10n.t('Remote engine: {0} on {1}', model, engine.host);
  }

  /** Whether text of a document may be sent. */
  mayLeave({ uri }: DocumentSnapshot): boolean {
    if (!vscode.workspace.isTrusted) return false;
    return !isLeftAlone(vscode.Uri.parse(uri), this.parts.config.completion.excludedFiles);
  }

  /** Makes the engine that the settings name; settles when it is in use, or will not be. Never rejects. */
  async refresh(): Promise<void> {
    const generation = ++this.generation;
    const { config, consent } = this.parts;
    const settings = config.remote;
    this.leave();
    const made = settings.url === '' ? undefined : await this.make(settings);
    if (generation !== this.generation) {
      if (made?.ok === true) made.value.engine.dispose();
      return;
    }
    if (made === undefined) this.obstacle = '';
    else if (!made.ok) this.obstacle = made.error.message;
    else if (consent.has(made.value.endpoint)) this.use(made.value.engine, settings.timeoutMs);
    else {
      made.value.engine.dispose();
      consent.remind(made.value.endpoint);
      this.obstacle = `nothing is sent to ${made.value.endpoint.host} before you have seen what; run Emberline: Use a Remote Engine…`;
    }
    this.tell();
  }

  /**
   * An engine that is not in use yet.
   * @param key Empty: none. Default: the one that is kept for the endpoint.
   */
  async make(
    settings: RemoteSettings,
    key?: string,
  ): Promise<NativeResult<{ readonly engine: RemoteEngine; readonly endpoint: Endpoint }>> {
    const endpoint = endpointOf(settings.url);
    if (!endpoint.ok) return endpoint;
    const ca = await certificates(settings.caFile);
    if (!ca.ok) return ca;
    const secret = key ?? (await this.parts.keys.keyOf(endpoint.value));
    const { protocol, model, fim } = settings;
    const engine = new RemoteEngine({
      endpoint: endpoint.value,
      key: () => (secret === '' ? undefined : secret),
      ca: ca.value,
      choices: { protocol, model, fim },
    });
    return { ok: true, value: { engine, endpoint: endpoint.value } };
  }

  /** Called when the engine answered or failed. */
  tell(): void {
    const line = this.detail;
    if (line !== this.said && line !== '') this.parts.log(line);
    this.said = line;
    this.changed.fire();
  }

  dispose(): void {
    this.generation++;
    this.leave();
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
  }

  private use(engine: RemoteEngine, timeoutMs: number): void {
    this.obstacle = '';
    const { calibrations } = this.parts;
    const inUse: InUse = {
      engine,
      prompts: new PromptWriter(engine),
      backOff: new BackOff(),
      times: noTimes(),
      timeoutMs,
      get calibration() {
        const { server, host } = engine;
        return server === undefined ? undefined : calibrations.of(`${server.model} on ${host}`);
      },
    };
    this.inUse = inUse;
    // What is there is found out before somebody waits for it.
    if (!vscode.workspace.isTrusted) return;
    void engine.connect().then((found) => {
      if (this.inUse !== inUse) return;
      if (!found.ok) inUse.backOff.failed(found.error);
      this.tell();
    });
  }

  private leave(): void {
    this.inUse?.engine.dispose();
    this.inUse = undefined;
  }
}

async function certificates(path: string): Promise<NativeResult<string | undefined>> {
  if (path === '') return { ok: true, value: undefined };
  try {
    const text = await readFile(path, 'utf8');
    if (text.includes('-----BEGIN CERTIFICATE-----')) return { ok: true, value: text };
  } catch {
    // Said below.
  }
  const message = 'The file of emberline.remote.caFile cannot be read, or holds no certificate in PEM.';
  return { ok: false, error: remoteError('REMOTE_ADDRESS', message) };
}
