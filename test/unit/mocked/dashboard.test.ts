/** What the dashboard says of the model that runs, which may be another the next moment. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { UsageTotals } from '../../../core/statistics/usage';
import { Dashboard, type DashboardParts } from '../../../extension/dashboard/dashboard';
import type { KnownModel } from '../../../extension/engine_lifecycle';

const { file, page } = vi.hoisted(() => ({
  file: { weightBytes: undefined as number | undefined, looks: 0 },
  page: { told: [] as { readonly type: string; readonly data?: { readonly model: unknown } }[] },
}));

vi.mock('vscode', async () => {
  const none = { dispose: () => undefined };
  return {
    ...(await import('../vscode_stub')),
    Uri: { file: () => undefined, joinPath: () => undefined },
    ViewColumn: { Active: 1 },
    window: {
      createWebviewPanel: () => ({
        visible: true,
        onDidDispose: () => none,
        dispose: () => undefined,
        webview: {
          asWebviewUri: () => '',
          onDidReceiveMessage: () => none,
          postMessage: (message: (typeof page.told)[number]) => page.told.push(message),
        },
      }),
    },
  };
});
vi.mock('../../../core/engine/binding', async (original) => ({
  ...(await original<object>()),
  loadAddon: () => ({
    ok: true,
    value: {
      inspect: () => {
        file.looks++;
        const { weightBytes } = file;
        const kvCache = { f16: [{ bytesAPosition: 2, mostPositions: 4_096 }], q8_0: [] };
        return Promise.resolve(
          weightBytes === undefined
            ? { ok: false, error: { code: 'FILE_NOT_FOUND', message: 'It is gone.' } }
            : { ok: true, value: { outline: { weightBytes, kvCache } } },
        );
      },
    },
  }),
}));

const engine: { model: KnownModel | undefined } = { model: undefined };
let changeModel: (() => void) | undefined;
let dashboard: Dashboard;

beforeEach(() => {
  engine.model = undefined;
  const none = (): { dispose: () => void } => ({ dispose: () => undefined });
  const requests = [
    { sequence: 1, positions: 300 },
    { sequence: 2, positions: 0 },
  ];
  const session = { lastRequests: () => requests, keyToGhost: () => undefined };
  dashboard = new Dashboard({
    engine,
    root: '/',
    version: '1',
    statistics: { session, usage: () => new UsageTotals().snapshot(), onDidChange: none },
    drafting: {},
    onDidChangeModel: (listener: () => void) => {
      changeModel = listener;
      return none();
    },
    onDidStart: none,
  } as unknown as DashboardParts);
});
afterEach(() => dashboard.dispose());

function load(): void {
  const info = { name: 'm', kvCache: 'f16', contextLength: 4_096 };
  engine.model = { info, modelPath: '/m.gguf', speed: {} } as KnownModel;
}

it('names the one that is loaded while it is open', async () => {
  vi.useFakeTimers();
  dashboard.show();
  load();
  changeModel?.();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(page.told.map(({ data }) => data?.model)).toMatchObject([{ name: 'm' }]);
  vi.useRealTimers();
});

it('has its memory, once its file can be read', async () => {
  const weights = async (): Promise<number | undefined> => (await dashboard.data()).memory?.weights;

  file.looks = 0;
  expect(await weights()).toBeUndefined();
  load();
  expect(await weights()).toBeUndefined();
  file.weightBytes = 85e6;
  // Of whole pages; the last request had nothing read here.
  expect((await dashboard.data()).memory).toEqual({ weights: 85e6, kvNow: 1_024, kvMost: 8_192 });
  // What was asked of the one before is in none of its pages.
  changeModel?.();
  expect((await dashboard.data()).memory?.kvNow).toBe(0);
  file.weightBytes = 90e6;
  expect(await weights()).toBe(85e6);
  load();
  expect(await weights()).toBe(90e6);
  // Once a model, and once in vain.
  expect(file.looks).toBe(3);
});
