/** What the dashboard says of a model's memory, by a file that may be replaced, or gone. */
import { expect, it, vi } from 'vitest';
import { UsageTotals } from '../../../core/statistics/usage';
import { Dashboard, type DashboardParts } from '../../../extension/dashboard/dashboard';
import type { KnownModel } from '../../../extension/engine_lifecycle';

const { file } = vi.hoisted(() => ({ file: { weightBytes: undefined as number | undefined, looks: 0 } }));

vi.mock('vscode', () => import('../vscode_stub'));
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

it('is that of the model that runs, once its file can be read', async () => {
  const engine: { model: KnownModel | undefined } = { model: undefined };
  const none = (): { dispose: () => void } => ({ dispose: () => undefined });
  const session = { lastRequests: () => [{ positions: 300 }, { positions: 0 }], keyToGhost: () => undefined };
  const dashboard = new Dashboard({
    engine,
    root: '/',
    version: '1',
    statistics: { session, usage: () => new UsageTotals().snapshot(), onDidChange: none },
    drafting: {},
    onDidStart: none,
  } as unknown as DashboardParts);
  const weights = async (): Promise<number | undefined> => (await dashboard.data()).memory?.weights;
  const load = (): void => {
    const info = { kvCache: 'f16', contextLength: 4_096 };
    engine.model = { info, modelPath: '/m.gguf', speed: {} } as KnownModel;
  };

  expect(await weights()).toBeUndefined();
  load();
  expect(await weights()).toBeUndefined();
  file.weightBytes = 85e6;
  // Of whole pages; the last request had nothing read here.
  expect((await dashboard.data()).memory).toEqual({ weights: 85e6, kvNow: 1_024, kvMost: 8_192 });
  file.weightBytes = 90e6;
  expect(await weights()).toBe(85e6);
  load();
  expect(await weights()).toBe(90e6);
  // Once a model, and once in vain.
  expect(file.looks).toBe(3);
  dashboard.dispose();
});
