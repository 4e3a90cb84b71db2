/** Choosing a remote engine, and choosing again, against a server on this machine. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DocumentSnapshot } from '../../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../../core/completion/options';
import { type Endpoint, endpointOf } from '../../../core/remote/endpoint';
import { RemoteEngine } from '../../../core/remote/remote_engine';
import { RemoteControl } from '../../../extension/remote/remote_control';
import { RemoteChoice, type RemoteEnding } from '../../../extension/remote/remote_choice';
import { readRemote, type RemoteSettings } from '../../../extension/settings';
import { type Kind, MODEL, type StandIn, startStandIn } from '../../remote/stand_in_server';

/** What the user is offered, and picks; undefined: nothing. */
const picks = vi.hoisted(() => ({
  offered: [] as (readonly string[])[],
  pick: undefined as string | undefined,
}));

/** Whether the workspace is trusted, and who is told once it is. */
const trust = vi.hoisted(() => ({ isTrusted: true, granted: (): void => undefined }));

vi.mock('vscode', async () => ({
  ...(await import('../vscode_stub')),
  ProgressLocation: { Notification: 15 },
  EventEmitter: class {
    private readonly listeners: (() => void)[] = [];
    readonly event = (listener: () => void): void => void this.listeners.push(listener);
    readonly fire = (): void => {
      for (const listener of this.listeners) listener();
    };
    readonly dispose = (): void => undefined;
  },
  Uri: { parse: (path: string) => ({ scheme: 'file', path }) },
  workspace: {
    asRelativePath: ({ path }: { path: string }) => path,
    get isTrusted() {
      return trust.isTrusted;
    },
    onDidGrantWorkspaceTrust: (granted: () => void) => {
      trust.granted = granted;
      return { dispose: () => undefined };
    },
  },
  window: {
    withProgress: (_: unknown, task: () => unknown) => task(),
    showQuickPick: (items: readonly string[]) => {
      picks.offered.push(items);
      return Promise.resolve(picks.pick);
    },
  },
}));

const OTHER = 'mellum-4b-base';

describe('choosing a remote engine', () => {
  let server: StandIn;
  let servers: StandIn[];
  let remote: RemoteSettings;
  /** Which model what is sent was shown for. */
  let shown: (string | undefined)[];
  let engines: RemoteEngine[];

  async function start(kind: Kind): Promise<void> {
    server = await startStandIn(kind);
    servers.push(server);
    remote = { ...readRemote(() => undefined), url: server.url };
  }

  beforeEach(async () => {
    picks.offered = [];
    picks.pick = undefined;
    trust.isTrusted = true;
    shown = [];
    keys = [];
    engines = [];
    servers = [];
    await start('llama-server');
  });
  afterEach(async () => {
    for (const engine of engines) engine.dispose();
    await Promise.all(servers.map((one) => one.stop()));
  });

  function make(
    settings: RemoteSettings,
  ): ReturnType<ConstructorParameters<typeof RemoteChoice>[0]['control']['make']> {
    const endpoint = endpointOf(settings.url) as { readonly ok: true; readonly value: Endpoint };
    const { protocol, model, fim } = settings;
    const choices = { protocol, model, fim };
    const engine = new RemoteEngine({ endpoint: endpoint.value, key: () => undefined, choices });
    engines.push(engine);
    return Promise.resolve({ ok: true, value: { engine, endpoint: endpoint.value } });
  }

  /** What became of keys, by host. */
  let keys: string[];

  function choices(): RemoteChoice {
    return new RemoteChoice({
      config: {
        get remote() {
          return remote;
        },
        setRemote: (changed) => {
          remote = { ...remote, ...changed };
          return Promise.resolve();
        },
      },
      control: { make, refresh: () => Promise.resolve() },
      keys: {
        keyOf: () => Promise.resolve(undefined),
        set: ({ host }, key) => {
          keys.push(`${host} ${key}`);
          return Promise.resolve();
        },
      },
      consent: {
        ask: (_, engine) => {
          shown.push(engine.server?.model);
          return Promise.resolve(true);
        },
      },
    });
  }

  /** The command for the address that is set, or another one. */
  function choose(model?: string, url = server.url): Promise<RemoteEnding> {
    return choices().choose({ url, key: '', ...(model === undefined ? {} : { model }) });
  }

  it.each(['llama-server', 'vllm'] as const)(
    'changes the model where a server like %s does not have the one that is set any more',
    async (kind) => {
      await start(kind);
      remote = { ...remote, model: 'gone' };
      expect(await choose()).toMatchObject({ kind: 'chosen', model: MODEL });
      expect(remote.model).toBe('');
      expect(picks.offered).toEqual([]);
    },
  );

  it('asks again where there are several, with the one that is set before all others', async () => {
    server.others = ['another', OTHER];
    remote = { ...remote, model: OTHER };
    picks.pick = 'another';
    expect(await choose()).toMatchObject({ kind: 'chosen', model: 'another' });
    expect(picks.offered).toEqual([[OTHER, MODEL, 'another']]);
    expect(remote.model).toBe('another');
    picks.pick = undefined;
    expect(await choose()).toEqual({ kind: 'none' });
    expect(remote.model).toBe('another');
  });

  it('shows what is sent to the model that was picked', async () => {
    server.others = [OTHER];
    picks.pick = OTHER;
    await choose();
    expect(shown).toEqual([OTHER]);
  });

  it('keeps the name of the only one that there is', async () => {
    remote = { ...remote, model: MODEL };
    expect(await choose()).toMatchObject({ kind: 'chosen', model: MODEL });
    expect(remote.model).toBe(MODEL);
  });

  it('keeps the name that a server has to be told, where it lists none', async () => {
    await start('vllm');
    server.model = '';
    remote = { ...remote, model: 'named' };
    expect(await choose()).toMatchObject({ kind: 'chosen', model: 'named' });
    expect(remote.model).toBe('named');
    remote = { ...remote, model: '' };
    expect(await choose()).toMatchObject({ kind: 'failed', error: { code: 'REMOTE_MODEL' } });
  });

  it('asks for no model where one is given, and takes none but that', async () => {
    server.others = [OTHER];
    remote = { ...remote, model: MODEL };
    expect(await choose(OTHER)).toMatchObject({ kind: 'chosen', model: OTHER });
    expect(await choose('gone')).toMatchObject({ kind: 'failed', error: { code: 'REMOTE_MODEL' } });
    expect(picks.offered).toEqual([]);
    expect(remote.model).toBe(OTHER);
  });

  it('takes no name from the settings of another server', async () => {
    remote = { ...remote, url: 'http://127.0.0.1:1', model: OTHER };
    expect(await choose()).toMatchObject({ kind: 'chosen', model: MODEL });
    expect(remote).toMatchObject({ url: server.url, model: '' });
  });

  it('leaves nothing open', async () => {
    server.others = [OTHER];
    picks.pick = OTHER;
    const dispose = vi.spyOn(RemoteEngine.prototype, 'dispose');
    try {
      await choose();
      expect(new Set(dispose.mock.contexts)).toEqual(new Set(engines));
    } finally {
      dispose.mockRestore();
    }
  });

  it('says why no key is set where none would be sent', async () => {
    remote = { ...remote, url: 'http://192.168.1.5:8000' };
    expect(await choices().setKey()).toMatchObject({ kind: 'failed', error: { code: 'REMOTE_KEY' } });
    expect(await choices().setKey('secret')).toMatchObject({ kind: 'failed' });
    expect(keys).toEqual([]);
    // One that was kept for it can be cleared.
    expect(await choices().setKey('')).toMatchObject({ kind: 'chosen' });
    expect(keys).toEqual(['192.168.1.5:8000 ']);
  });
});

describe('in a workspace that is not trusted', () => {
  let server: StandIn;
  let control: RemoteControl;

  beforeEach(async () => {
    trust.isTrusted = false;
    server = await startStandIn('llama-server');
    const nothing = { dispose: () => undefined };
    const remote = { ...readRemote(() => undefined), url: server.url };
    control = new RemoteControl({
      config: {
        remote,
        completion: DEFAULT_OPTIONS,
        onDidChangeRemote: () => nothing,
      } as never,
      keys: { keyOf: () => Promise.resolve(undefined), onDidChange: () => nothing } as never,
      consent: { has: () => true, remind: () => undefined } as never,
      calibrations: { of: () => undefined } as never,
      log: () => undefined,
    });
  });
  afterEach(async () => {
    control.dispose();
    await server.stop();
  });

  it('no remote engine is chosen', async () => {
    const choice = new RemoteChoice({
      config: { remote: readRemote(() => undefined), setRemote: () => Promise.resolve() },
      control,
      keys: { keyOf: () => Promise.resolve(undefined), set: () => Promise.resolve() },
      consent: { ask: () => Promise.resolve(true) },
    });
    expect(await choice.choose({ url: server.url, key: '' })).toMatchObject({ kind: 'failed' });
    expect([...server.looked, ...server.asked]).toEqual([]);
    trust.isTrusted = true;
    expect(await choice.choose({ url: server.url, key: '' })).toMatchObject({ kind: 'chosen' });
  });

  it('the one that is set is not asked, and nothing may leave, until it is', async () => {
    const document = { uri: '/a.ts' } as DocumentSnapshot;
    const of = (): unknown => ({
      inUse: control.current !== undefined,
      mayLeave: control.mayLeave(document),
      state: control.state,
      says: control.detail,
    });
    const connect = vi.spyOn(RemoteEngine.prototype, 'connect');
    let changes = 0;
    await control.refresh();
    const says = 'Remote engine: not asked in a workspace that is not trusted';
    expect(of()).toEqual({ inUse: false, mayLeave: false, state: 'away', says });
    control.onDidChange(() => changes++);
    trust.isTrusted = true;
    trust.granted();
    expect(changes).toBe(1);
    // Its model is found out with the first request.
    const { host } = new URL(server.url);
    expect(of()).toEqual({ inUse: true, mayLeave: true, state: 'answers', says: `Remote engine: ${host}` });
    expect(connect).not.toHaveBeenCalled();
    connect.mockRestore();
  });
});
