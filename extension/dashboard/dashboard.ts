/** The dashboard: a page beside the editors with what the engine does on this machine. It is told what changed once a second while it is seen. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { DraftingTotals } from '../../core/completion/drafting_totals';
import { addonPath, embeddedModelPath, loadAddon } from '../../core/engine/binding';
import { kvCacheBytes } from '../../core/engine/kv_cache';
import type { NativeOutline } from '../../core/engine/native_inspection';
import { type MachineMeasurement, measureMachine } from '../../core/models/machine_measurement';
import type { DashboardData, MemoryFigures, ModelFigures } from '../../core/statistics/dashboard_data';
import type { EngineLifecycle, KnownModel } from '../engine_lifecycle';
import { type HostMessage, isPageMessage, type PageMessage } from './page/messages';
import { pageHtml } from './page_html';
import type { Statistics } from './statistics';
import { ThreadDelay } from './thread_delay';

export interface DashboardParts {
  /** The folder the extension is installed in. */
  readonly root: string;
  readonly version: string;
  readonly engine: Pick<EngineLifecycle, 'model'>;
  readonly statistics: Statistics;
  readonly drafting: DraftingTotals;
  /** Another model runs, or none. */
  readonly onDidChangeModel: vscode.Event<unknown>;
  /** The editor asks for a suggestion. */
  readonly onDidStart: vscode.Event<unknown>;
  /** Whether the engine has something else to do. */
  readonly busy: () => boolean;
}

/** How often the page is told, ms. */
const TELL_EVERY_MS = 1_000;

export class Dashboard implements vscode.Disposable {
  private readonly parts: DashboardParts;
  private readonly delay = new ThreadDelay();
  private readonly subscriptions: readonly vscode.Disposable[];
  private panel: vscode.WebviewPanel | undefined;
  private timer: NodeJS.Timeout | undefined;
  private measuring: AbortController | undefined;
  private machine: MachineMeasurement | undefined;
  /** The last request that another model than the one that runs was asked. */
  private lastOfAnother = 0;
  /** By the model that runs: its file may be another the next time. */
  private readonly outlines = new WeakMap<KnownModel, NativeOutline>();

  constructor(parts: DashboardParts) {
    this.parts = parts;
    this.subscriptions = [
      parts.statistics.onDidChange(() => this.tellSoon()),
      parts.onDidChangeModel(() => {
        this.lastOfAnother = parts.statistics.session.lastRequests().at(-1)?.sequence ?? 0;
        this.tellSoon();
      }),
      parts.onDidStart(() => this.measuring?.abort()),
    ];
  }

  get isOpen(): boolean {
    return this.panel !== undefined;
  }

  show(): void {
    if (this.panel !== undefined) {
      this.panel.reveal();
      return;
    }
    const folder = vscode.Uri.file(join(this.parts.root, 'dist', 'dashboard'));
    const panel = vscode.window.createWebviewPanel(
      'emberline.dashboard',
      vscode.l10n.t('Emberline Dashboard'),
      vscode.ViewColumn.Active,
      { enableScripts: true, localResourceRoots: [folder] },
    );
    this.panel = panel;
    this.delay.start();
    panel.iconPath = vscode.Uri.file(join(this.parts.root, 'media', 'icon.svg'));
    panel.onDidDispose(() => this.closed());
    panel.webview.onDidReceiveMessage((message: unknown) => {
      if (isPageMessage(message)) void this.answer(message);
    });
    const uri = (name: string): string =>
      panel.webview.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString();
    panel.webview.html = pageHtml({
      cspSource: panel.webview.cspSource,
      nonce: randomBytes(16).toString('hex'),
      script: uri('page.js'),
      style: uri('page.css'),
    });
  }

  /** All that it shows. Never rejects. */
  async data(): Promise<DashboardData> {
    const { version, engine, statistics, drafting } = this.parts;
    const { session } = statistics;
    const requests = session.lastRequests();
    const { model } = engine;
    const own = requests.filter(({ sequence }) => sequence > this.lastOfAnother);
    const positions = own.findLast((one) => one.positions > 0)?.positions ?? 0;
    return {
      version,
      takenAt: new Date().toISOString(),
      model: model && figuresOf(model),
      memory: model && (await this.memoryOf(model, positions)),
      requests,
      keyToGhost: session.keyToGhost(),
      drafts: { drafted: drafting.drafted, accepted: drafting.accepted, savedMs: drafting.savedMs },
      usage: await statistics.usage(),
      machine: this.machine,
      threadDelay: this.isOpen ? this.delay.snapshot() : undefined,
    };
  }

  /** The same as a file has it. */
  async exported(): Promise<string> {
    return `${JSON.stringify(await this.data(), null, 2)}\n`;
  }

  dispose(): void {
    this.panel?.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
    this.closed();
  }

  private closed(): void {
    this.panel = undefined;
    this.measuring?.abort();
    this.delay.stop();
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private async answer({ type }: PageMessage): Promise<void> {
    if (type === 'ready') await this.tell();
    else if (type === 'measure') await this.measure();
    else if (type === 'clear') await this.clear();
    else await this.export();
  }

  private tellSoon(): void {
    if (this.panel?.visible === true) this.timer ??= setTimeout(() => void this.tell(), TELL_EVERY_MS);
  }

  private async tell(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.panel === undefined) return;
    this.send({ type: 'data', data: await this.data() });
  }

  private note(text: string): void {
    this.send({ type: 'note', text, measuring: this.measuring !== undefined });
  }

  private send(message: HostMessage): void {
    void this.panel?.webview.postMessage(message);
  }

  private async measure(): Promise<void> {
    if (this.measuring !== undefined) return;
    const { root, engine, busy } = this.parts;
    const { model } = engine;
    const addon = loadAddon(addonPath(root));
    if (model === undefined || !addon.ok) {
      this.note('No model is loaded; restart the engine, and measure again.');
      return;
    }
    if (busy()) {
      this.note('The engine works for the editor; measure again when it is done.');
      return;
    }
    const controller = new AbortController();
    this.measuring = controller;
    this.note('Measuring: some seconds. Typing ends it.');
    const embedded = model.modelPath === embeddedModelPath(root);
    const measured = await measureMachine(
      addon.value,
      { ...knownOf(model), embedded, fork: () => model.fork() },
      controller.signal,
    );
    this.measuring = undefined;
    if (measured.ok) this.machine = measured.value;
    this.note(measured.ok ? 'Measured.' : measured.error.message);
    await this.tell();
  }

  private async clear(): Promise<void> {
    const { t } = vscode.l10n;
    const remove = t('Delete');
    const answer = await vscode.window.showWarningMessage(
      t('Delete what Emberline counted of suggestions?'),
      { modal: true, detail: t('Acceptance by language and the characters saved begin at zero.') },
      remove,
    );
    if (answer !== remove) return;
    await this.parts.statistics.clear();
    this.note('The counts were deleted.');
    await this.tell();
  }

  private async export(): Promise<void> {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const name = 'emberline-dashboard.json';
    const target = await vscode.window.showSaveDialog({
      title: vscode.l10n.t('Export the Dashboard'),
      filters: { JSON: ['json'] },
      ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder.uri, name) }),
    });
    if (target === undefined) return;
    try {
      await vscode.workspace.fs.writeFile(target, Buffer.from(await this.exported()));
      this.note('Exported.');
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'the system does not let it';
      this.note(`The file could not be written (${reason}); choose another place.`);
    }
  }

  private async memoryOf(model: KnownModel, positions: number): Promise<MemoryFigures | undefined> {
    const outline = await this.outlineOf(model);
    if (outline === undefined) return undefined;
    const layers = outline.kvCache[model.info.kvCache];
    return {
      weights: outline.weightBytes,
      kvNow: kvCacheBytes(layers, positions),
      kvMost: kvCacheBytes(layers, contextOf(model)),
    };
  }

  /** Undefined where its file cannot be read at the moment. */
  private async outlineOf(model: KnownModel): Promise<NativeOutline | undefined> {
    const known = this.outlines.get(model);
    if (known !== undefined) return known;
    const addon = loadAddon(addonPath(this.parts.root));
    const inspected = addon.ok ? await addon.value.inspect(model.modelPath) : addon;
    const outline = inspected.ok ? inspected.value.outline : undefined;
    if (outline !== undefined) this.outlines.set(model, outline);
    return outline;
  }
}

function contextOf({ context, info }: Pick<KnownModel, 'context' | 'info'>): number {
  return context ?? info.contextLength;
}

function knownOf(model: KnownModel): Pick<KnownModel, 'info' | 'modelPath'> & { readonly context: number } {
  const { info, modelPath } = model;
  return { info, modelPath, context: contextOf(model) };
}

function figuresOf(model: KnownModel): ModelFigures {
  const { info, speed } = model;
  const { name, device, quantization, parameters } = info;
  return {
    name,
    device,
    quantization,
    parameters,
    context: contextOf(model),
    prefillRate: speed.prefillTokensPerSecond,
    decodeRate: speed.decodeTokensPerSecond,
  };
}
