/** Choosing a remote engine: where it is, its key, whether it answers, which model, what is sent; and the way back. */
import * as vscode from 'vscode';
import type { NativeError, NativeResult } from '../../core/engine/native_result';
import { type Endpoint, endpointOf } from '../../core/remote/endpoint';
import { keyNotSent, remoteError } from '../../core/remote/errors';
import type { RemoteEngine } from '../../core/remote/remote_engine';
import type { RemoteServer } from '../../core/remote/server';
import type { Config } from '../config';
import type { RemoteSettings } from '../settings';
import type { RemoteConsent } from './consent';
import type { RemoteControl } from './remote_control';
import { faultOfKey, type RemoteKeys } from './remote_keys';

export interface RemoteChoiceParts {
  readonly config: Pick<Config, 'remote' | 'setRemote'>;
  readonly control: Pick<RemoteControl, 'make' | 'refresh'>;
  readonly keys: Pick<RemoteKeys, 'keyOf' | 'set'>;
  readonly consent: Pick<RemoteConsent, 'ask'>;
}

/** What need not be asked for; what is sent is confirmed all the same. */
export interface GivenRemote {
  readonly url?: string;
  readonly key?: string;
  readonly model?: string;
}

export type RemoteEnding =
  | { readonly kind: 'none' }
  | { readonly kind: 'chosen'; readonly host: string; readonly model: string }
  | { readonly kind: 'failed'; readonly error: NativeError };

/** An engine that is not in use, and what is there. */
interface Looked {
  readonly engine: RemoteEngine;
  readonly server: RemoteServer;
}

const NOT_TRUSTED = remoteError(
  'REMOTE_ADDRESS',
  'No remote engine is asked in a workspace that is not trusted; trust it first.',
);

export class RemoteChoice {
  private readonly parts: RemoteChoiceParts;

  constructor(parts: RemoteChoiceParts) {
    this.parts = parts;
  }

  /** Nothing is sent, and no setting changes, before the user has confirmed what is. */
  async choose(given: GivenRemote = {}): Promise<RemoteEnding> {
    const { config, control, keys } = this.parts;
    if (!vscode.workspace.isTrusted) return { kind: 'failed', error: NOT_TRUSTED };
    const url = given.url ?? (await askForUrl(config.remote.url));
    if (url === undefined) return { kind: 'none' };
    const endpoint = endpointOf(url);
    if (!endpoint.ok) return { kind: 'failed', error: endpoint.error };
    const stored = await keys.keyOf(endpoint.value);
    const key = given.key ?? (await askForKey(endpoint.value, stored !== undefined));
    if (key === undefined) return { kind: 'none' };
    const chosen = key === '' ? stored : key;
    const engines: RemoteEngine[] = [];
    const look = async (model: string): Promise<NativeResult<Looked>> => {
      const settings = { ...config.remote, url: endpoint.value.base, model };
      const made = await control.make(settings, chosen ?? '');
      if (!made.ok) return made;
      const { engine } = made.value;
      engines.push(engine);
      const title = vscode.l10n.t('Emberline asks {0} which models it has', endpoint.value.host);
      const found = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title },
        () => engine.connect(),
      );
      return found.ok ? { ok: true, value: { engine, server: found.value } } : found;
    };
    try {
      return await this.confirm(look, endpoint.value, given.model ?? '', key);
    } finally {
      for (const engine of engines) engine.dispose();
    }
  }

  /** Back to the engine on this machine. */
  async leave(): Promise<void> {
    await this.parts.config.setRemote({ url: '', model: '' });
    await this.parts.control.refresh();
  }

  /**
   * Sets the key of the endpoint in the settings, or clears it.
   * @param given Not asked for; empty: cleared.
   */
  async setKey(given?: string): Promise<RemoteEnding> {
    const endpoint = endpointOf(this.parts.config.remote.url);
    if (!endpoint.ok) return { kind: 'failed', error: endpoint.error };
    if (!endpoint.value.safe && given !== '')
      return { kind: 'failed', error: keyNotSent(endpoint.value.host) };
    const key = given ?? (await askForKey(endpoint.value, false));
    if (key === undefined || faultOfKey(key) !== undefined) return { kind: 'none' };
    await this.parts.keys.set(endpoint.value, key);
    await this.parts.control.refresh();
    return { kind: 'chosen', host: endpoint.value.host, model: this.parts.config.remote.model };
  }

  /** @param named The model, where it need not be asked for; else empty. */
  private async confirm(
    look: (model: string) => Promise<NativeResult<Looked>>,
    endpoint: Endpoint,
    named: string,
    key: string,
  ): Promise<RemoteEnding> {
    const { config, control, keys, consent } = this.parts;
    const configured = endpoint.base === endpointBase(config.remote) ? config.remote.model : '';
    let looked = await look(named);
    // A server that lists none has to be told which.
    if (!looked.ok && looked.error.code === 'REMOTE_MODEL' && named === '' && configured !== '')
      looked = await look(configured);
    if (!looked.ok) return { kind: 'failed', error: looked.error };
    const { model: first, models } = looked.value.server;
    const isAsked = named === '' && models.length > 1;
    const model = isAsked ? await askForModel(models, configured) : first;
    if (model === undefined) return { kind: 'none' };
    // What is sent is shown as that model gets it.
    if (model !== first) looked = await look(model);
    if (!looked.ok) return { kind: 'failed', error: looked.error };
    if (!(await consent.ask(endpoint, looked.value.engine))) return { kind: 'none' };
    if (key !== '') await keys.set(endpoint, key);
    const kept = models.length > 1 || model === configured ? model : named;
    await config.setRemote({ url: endpoint.base, model: kept });
    await control.refresh();
    return { kind: 'chosen', host: endpoint.host, model };
  }
}

function endpointBase({ url }: RemoteSettings): string | undefined {
  const endpoint = endpointOf(url);
  return endpoint.ok ? endpoint.value.base : undefined;
}

function askForUrl(value: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Emberline: Use a Remote Engine'),
    prompt: vscode.l10n.t(
      'The address of a server of llama.cpp, vLLM, SGLang, TGI, Ollama or LM Studio, for example https://models.example.com or http://127.0.0.1:8080',
    ),
    value,
    ignoreFocusOut: true,
    validateInput: (text) => {
      const endpoint = endpointOf(text.trim());
      return endpoint.ok ? undefined : endpoint.error.message;
    },
  });
}

function askForKey({ host, safe }: Endpoint, stored: boolean): Thenable<string | undefined> {
  if (!safe) return Promise.resolve('');
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Emberline: Key for {0}', host),
    prompt: stored
      ? vscode.l10n.t('Empty: the one that is kept')
      : vscode.l10n.t('Empty: it wants none. It is kept where VS Code keeps secrets, and in no settings'),
    password: true,
    ignoreFocusOut: true,
    validateInput: faultOfKey,
  });
}

/** @param configured Is taken by Enter, where it is there. */
function askForModel(models: readonly string[], configured: string): Thenable<string | undefined> {
  const others = models.filter((model) => model !== configured);
  const offered = others.length < models.length ? [configured, ...others] : models;
  return vscode.window.showQuickPick(offered, {
    title: vscode.l10n.t('Emberline: Use a Remote Engine'),
    placeHolder: vscode.l10n.t('Which model should complete?'),
    ignoreFocusOut: true,
  });
}
