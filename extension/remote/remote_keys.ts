/** Keys of remote engines: in VS Code's SecretStorage, one for each endpoint, so that none goes to another server than it was given for. */
import type * as vscode from 'vscode';
import type { Endpoint } from '../../core/remote/endpoint';

/** What a header can hold. */
const PRINTABLE = /^[\x21-\x7e]{1,4096}$/;

export class RemoteKeys {
  private readonly secrets: vscode.SecretStorage;

  constructor(secrets: vscode.SecretStorage) {
    this.secrets = secrets;
  }

  /** Never rejects: a storage that cannot be read has no key. */
  async keyOf(endpoint: Endpoint): Promise<string | undefined> {
    try {
      return await this.secrets.get(nameOf(endpoint));
    } catch {
      return undefined;
    }
  }

  /** @param key Empty: the one that is there goes. */
  async set(endpoint: Endpoint, key: string): Promise<void> {
    if (key === '') await this.secrets.delete(nameOf(endpoint));
    else await this.secrets.store(nameOf(endpoint), key);
  }

  /** Fires when the key of the endpoint was set or cleared, in any window. */
  onDidChange(listener: (isOf: (endpoint: Endpoint) => boolean) => void): vscode.Disposable {
    return this.secrets.onDidChange(({ key }) => listener((endpoint) => key === nameOf(endpoint)));
  }
}

/** What is wrong with a key; undefined: nothing. */
export function faultOfKey(key: string): string | undefined {
  return key === '' || PRINTABLE.test(key)
    ? undefined
    : 'A key has letters, digits and signs alone, without blanks.';
}

function nameOf({ base }: Endpoint): string {
  return `emberline.remote.key ${base}`;
}
