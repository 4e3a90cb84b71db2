/** Choosing a remote engine: where it is, its key, whether it answers, which model, what is sent; and the way back. */
import * as vscode from 'vscode';
import type { NativeError } from '../../core/engine/native_result';
import { type Endpoint, endpointOf } from '../../core/remote/endpoint';
import { remoteError } from '../../core/remote/errors';
import type { RemoteEngine } from '../../core/remote/remote_engine';
import type { Config } from '../config';
import type { RemoteSettings } from '../settings';
import type { RemoteConsent } from './consent';
import type { RemoteControl } from './remote_control';
import { faultOfKey, type RemoteKeys } from './remote_keys';

export interface RemoteChoiceParts {
  readonly config: Config;
  readonly control: RemoteControl;
  readonly keys: RemoteKeys;
  readonly consent: RemoteConsent;
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
    const model = endpoint.value.base === endpointBase(config.remote) ? config.remote.model : '';
    const settings = { ...config.remote, url: endpoint.value.base, model: given.model ?? model };
    const made = await control.make(settings, chosen ?? '');
    if (!made.ok) return { kind: 'failed', error: made.error };
    const { engine } = made.value;
    try {
      return await this.confirm(engine, endpoint.value, settings, key);
    } finally {
      engine.dispose();
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
    const key = given ?? (await askForKey(endpoint.value, false));
    if (key === undefined || faultOfKey(key) !== undefined) return { kind: 'none' };
    await this.parts.keys.set(endpoint.value, key);
    await this.parts.control.refresh();
    return { kind: 'chosen', host: endpoint.value.host, model: this.parts.config.remote.model };
  }

  private async confirm(
    engine: RemoteEngine,
    endpoint: Endpoint,
    settings: RemoteSettings,
    key: string,
  ): Promise<RemoteEnding> {
    const { config, control, keys, consent } = this.parts;
    const title = vscode.l10n.t('Emberline asks {0} which models it has', endpoint.host);
    const found = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title },
      () => engine.connect(),
    );
    if (!found.ok) return { kind: 'failed', error: found.error };
    const { models } = found.value;
    const model = settings.model !== '' || models.length < 2 ? found.value.model : await askForModel(models);
    if (model === undefined) return { kind: 'none' };
    if (!(await consent.ask(endpoint, engine))) return { kind: 'none' };
    if (key !== '') await keys.set(endpoint, key);
    await config.setRemote({ url: endpoint.base, model: models.length < 2 ? settings.model : model });
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

function askForModel(models: readonly string[]): Thenable<string | undefined> {
  return vscode.window.showQuickPick(models, {
    title: vscode.l10n.t('Emberline: Use a Remote Engine'),
    placeHolder: vscode.l10n.t('Which model should complete?'),
    ignoreFocusOut: true,
  });
}
