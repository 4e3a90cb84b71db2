/** Owns every disposable of the extension and connects its parts. */
import * as vscode from 'vscode';
import type { Counters, EmberlineApi } from './api';
import type { EngineState } from '../core/completion/engine_port';
import type { CompletionOptions } from '../core/completion/options';
import { limitedRendering, templateScript } from '../core/chat/limited_rendering';
import { OneEngine } from '../core/completion/asking';
import type { Calibration } from '../core/completion/calibration';
import type { PauseLength } from '../core/completion/pause';
import { CompletionPipeline } from '../core/completion/pipeline';
import { type Reader, sharesFor } from '../core/completion/project_context';
import { PromptWriter } from '../core/completion/prompt_writer';
import type { SnippetKind } from '../core/completion/snippets';
import { powerParts } from '../core/power/power_source';
import { Preparer } from './completion/preparer';
import { type FinishedRequest, GhostTextProvider } from './completion/provider';
import { Config } from './config';
import { setContextKey } from './context_keys';
import { Dashboard } from './dashboard/dashboard';
import { Statistics } from './dashboard/statistics';
import { StructuredEditor, type StructuredEdit } from './edit/structured_editor';
import { embeddedModelPath } from '../core/engine/binding';
import type { NativeFim, NativeModelInfo } from '../core/engine/native_types';
import type { NativeError } from '../core/engine/native_result';
import { EngineLifecycle } from './engine_lifecycle';
import { type Generation, Generator } from './generate/generator';
import { QUICK_PICK } from './generate/partial_question';
import { Log } from './log';
import type { CheckModel, LoadModel } from './model_loader';
import { Calibrations } from './models/calibrations';
import { ModelChoice } from './models/model_choice';
import { ModelDownloads } from './models/model_downloads';
import { RemoteFirst } from '../core/remote/remote_first';
import { DocumentSchemas } from '../core/schema/document_schemas';
import { WorkspaceSchemas } from './schema/workspace_schemas';
import { CommitBox } from './editor/commit_box';
import { onDidEndDocument } from './editor/document_end';
import { RemoteConsent } from './remote/consent';
import { RemoteChoice } from './remote/remote_choice';
import { RemoteControl } from './remote/remote_control';
import { RemoteKeys } from './remote/remote_keys';
import { Surroundings } from './editor/surroundings';
import type { Manifest, OwnFacts } from './report';
import { Restraints } from './restraints';
import { SessionRequests } from './session_requests';
import type { Reason } from '../core/completion/reasons';
import type { DraftingTotals } from '../core/completion/drafting_totals';
import type { Status } from './status';
import { StatusPresenter } from './status_presenter';

export interface ContextParts {
  /** The folder the extension is installed in. */
  readonly root: string;
  /** The folder that VS Code gives the extension for data of its own. */
  readonly storage: string;
  readonly secrets: vscode.SecretStorage;
  /** What VS Code remembers for the extension. */
  readonly state: vscode.Memento;
  /** package.json, as the editor read it. */
  readonly manifest: Manifest;
  /** Loads a model. */
  readonly load: LoadModel;
  /** Looks at one first, where another one runs. */
  readonly check: CheckModel;
}

export class EmberlineContext implements EmberlineApi, vscode.Disposable {
  readonly config = new Config();
  readonly manifest: Manifest;
  readonly root: string;
  readonly log = new Log();
  readonly engine: EngineLifecycle;
  readonly provider: GhostTextProvider;
  readonly generator: Generator;
  readonly editor: StructuredEditor;
  readonly models: ModelChoice;
  readonly remote: RemoteChoice;
  readonly statistics: Statistics;
  readonly dashboard: Dashboard;
  activationMs = 0;
  private readonly pipeline: CompletionPipeline;
  private readonly calibrations: Calibrations;
  private readonly consent: RemoteConsent;
  private readonly control: RemoteControl;
  private readonly commits: CommitBox;
  private readonly preparer: Preparer;
  private readonly restraints: Restraints;
  private readonly surroundings: Surroundings;
  private readonly workspaceSchemas = new WorkspaceSchemas();
  private readonly schemas: DocumentSchemas;
  private readonly statusPresenter: StatusPresenter;
  private readonly engineChanged = new vscode.EventEmitter<EngineState>();
  private readonly engineFailed = new vscode.EventEmitter<NativeError>();
  private readonly subscriptions: vscode.Disposable[] = [];
  private readonly requests = new SessionRequests();
  private remoteFim: NativeFim | undefined;

  readonly onDidFinish: vscode.Event<FinishedRequest>;
  readonly onDidPrepare: vscode.Event<string>;
  readonly onDidFollowImports: vscode.Event<string>;
  readonly onDidChangeStatus: vscode.Event<Status>;
  readonly onDidLog = this.log.onDidWrite;
  readonly onDidFailEngine = this.engineFailed.event;

  constructor({ root, storage, secrets, state, manifest, load, check }: ContextParts) {
    this.manifest = manifest;
    this.root = root;
    this.restraints = new Restraints(
      () => this.config.completion,
      powerParts(process.platform),
      () => this.onRestraint(),
    );
    this.engine = new EngineLifecycle(
      () => load(this.config.engine),
      (state) => this.onEngineState(state),
      {
        check: (freed) => check(this.config.engine, freed),
        refused: (error) => this.onModelRefused(error, ' The model that was running goes on.'),
        replaced: (error) => this.onModelRefused(error),
      },
    );
    const downloads = new ModelDownloads({
      storage,
      mirror: () => this.config.downloads.mirror,
      current: () => this.config.engine.modelPath,
      leave: async () => {
        await this.config.setModelPath('');
        await this.engine.start();
      },
    });
    this.models = new ModelChoice({
      root,
      downloads,
      config: this.config,
      check,
      freed: () => this.engine.info?.heldBytes ?? 0,
      restart: () => this.engine.start(),
    });
    const prompts = new PromptWriter(this.engine);
    this.schemas = new DocumentSchemas({
      enabled: () => this.config.completion.jsonSchemas,
      associations: (uri) => this.workspaceSchemas.associations(uri),
      read: (uri) => this.workspaceSchemas.read(uri),
      compile: (source) => this.engine.compileGrammar(source),
    });
    const { config } = this;
    const keys = new RemoteKeys(secrets);
    this.consent = new RemoteConsent(
      state,
      () => config.completion,
      (...place) => this.surroundings.snippets(...place),
    );
    const { consent } = this;
    this.calibrations = new Calibrations(state);
    const { calibrations } = this;
    const log = (line: string): void => this.log.note(line);
    this.control = new RemoteControl({ config, keys, consent, calibrations, log });
    this.remote = new RemoteChoice({ config, control: this.control, keys, consent });
    this.statusPresenter = new StatusPresenter({
      config,
      engine: this.engine,
      restraints: this.restraints,
      control: this.control,
      writing: () => this.writing,
    });
    this.onDidChangeStatus = this.statusPresenter.onDidChange;
    const asking = new RemoteFirst({
      local: new OneEngine(this.engine, prompts, () => this.calibration),
      remote: () => this.control.current,
      mayLeave: (document) => this.control.mayLeave(document),
      changed: () => this.control.tell(),
    });
    const options = (): CompletionOptions => this.restraints.applied;
    this.pipeline = new CompletionPipeline(this.engine, options, prompts, this.schemas, asking);
    this.surroundings = new Surroundings(options, (kind) => this.mayRead(kind));
    this.commits = new CommitBox(options);
    this.provider = new GhostTextProvider(
      this.pipeline,
      options,
      this.surroundings,
      this.commits,
      this.engine,
    );
    this.preparer = new Preparer({
      engine: this.engine,
      prompts,
      options,
      others: this.surroundings,
      next: (document, signal) => this.provider.prepareNext(document, signal),
      busy: () => this.pending > 0 || this.writing,
    });
    this.generator = new Generator(asking, () => this.config, this.surroundings.beside, QUICK_PICK);
    const render = limitedRendering(templateScript(root));
    this.editor = new StructuredEditor({ engine: this.engine, render }, () => this.config.completion);
    this.statistics = new Statistics(this.provider.onDidFinish, storage);
    this.dashboard = new Dashboard({
      root,
      version: manifest.version,
      engine: this.engine,
      statistics: this.statistics,
      drafting: this.drafting,
      onDidChangeModel: this.engineChanged.event,
      onDidStart: this.provider.onDidStart,
      busy: () => this.pending > 0 || this.writing,
    });
    this.onDidFinish = this.provider.onDidFinish;
    this.onDidPrepare = this.preparer.onDidPrepare;
    this.onDidFollowImports = this.surroundings.definitions.onDidFind;
    this.own(
      vscode.languages.registerInlineCompletionItemProvider({ pattern: '**' }, this.provider),
      this.provider.onDidStart((uri) => {
        // Of two requests the later one wins, which must not be one that nobody waits for.
        this.preparer.wait(uri);
        this.restraints.look();
        this.statusPresenter.requestStarted();
      }),
      this.provider.onDidFinish((request) => {
        this.preparer.wait(request.uri);
        this.onRequestEnd(request);
      }),
      this.commits.onDidChange((uri) => this.pipeline.forget(uri)),
      onDidEndDocument(({ uri }) => this.requests.forget(uri.toString())),
      this.generator.onDidChange(() => this.onGeneratorChange()),
      this.generator.onDidFinish((generation) => this.onGenerationEnd(generation)),
      this.editor.onDidChange(() => this.onGeneratorChange()),
      this.editor.onDidFinish((edit) => this.onEditEnd(edit)),
      this.config.onDidChangeCompletion(() => {
        // Other settings, other suggestions, or none.
        this.pipeline.reset();
        if (this.held !== undefined) this.provider.cancel();
        this.surroundings.refresh();
        this.restraints.look();
        this.statusPresenter.refresh();
      }),
      this.config.onDidChangeEngine(() => void this.engine.start()),
      this.config.onDidChangeRemote(() => this.resetSuggestions()),
      this.control.onDidChange(() => this.onRemoteChange()),
      this.workspaceSchemas.onDidChange(() => {
        this.schemas.forget();
        this.pipeline.reset();
      }),
      this.log.onDidFail((code) => this.requests.recent.addError(code)),
    );
  }

  get status(): Status {
    return this.statusPresenter.status;
  }

  get tooltip(): string {
    return this.statusPresenter.tooltip;
  }

  get model(): NativeModelInfo | undefined {
    return this.engine.info;
  }

  get error(): NativeError | undefined {
    return this.engine.error;
  }

  get counters(): Counters {
    return this.requests.counters;
  }

  get last(): FinishedRequest | undefined {
    return this.requests.last;
  }

  /** The last request that was not merely overtaken by typing: what a user means by 'last time'. */
  get lastDecided(): FinishedRequest | undefined {
    return this.requests.lastDecided;
  }

  get drafting(): DraftingTotals {
    return this.requests.drafting;
  }

  /** What a report says of the extension. */
  get ownFacts(): OwnFacts {
    const { engine, status, model } = this;
    const { recent } = this.requests;
    const prefillSpeed = engine.speed.prefillTokensPerSecond;
    return { engine: engine.state, status, model, recent, prefillSpeed };
  }

  /** True while a text or an edit is written. */
  get writing(): boolean {
    return this.generator.running || this.editor.running;
  }

  /** When the pause ends, ms since 1970, or infinite; undefined where there is none. */
  get pausedUntil(): number | undefined {
    return this.restraints.pause.until;
  }

  /** Nothing is suggested for a while in this window. */
  pause(length: PauseLength): void {
    this.restraints.pause.begin(length);
  }

  resume(): void {
    this.restraints.pause.finish();
  }

  /** Why suggestions do not come by themselves in the editor one is in, whatever the document. */
  get held(): Reason | undefined {
    return this.statusPresenter.held;
  }

  get pending(): number {
    return this.provider.pending + Number(this.provider.goesOn);
  }

  /** Takes the remote engine into use that the settings name, where it may be. */
  startRemote(): Promise<void> {
    return this.control.refresh();
  }

  /** Adds what is to be disposed of with the extension. */
  own(...disposables: vscode.Disposable[]): void {
    this.subscriptions.push(...disposables);
  }

  /**
   * Releases everything; settles when the engine has stopped, its memory is free and what was counted is written. A load that is under way is not
   * waited for: what it loaded is freed when it ends.
   */
  async close(): Promise<void> {
    const stopped = Promise.all([this.engine.stop(), this.statistics.close()]);
    this.dispose();
    await stopped;
  }

  dispose(): void {
    for (const subscription of this.subscriptions.splice(0)) subscription.dispose();
    this.provider.dispose();
    this.commits.dispose();
    this.preparer.dispose();
    this.generator.dispose();
    this.editor.dispose();
    this.surroundings.dispose();
    this.dashboard.dispose();
    this.statistics.dispose();
    this.workspaceSchemas.dispose();
    this.schemas.dispose();
    this.control.dispose();
    this.consent.dispose();
    this.restraints.dispose();
    this.config.dispose();
    this.statusPresenter.dispose();
    this.engineChanged.dispose();
    this.engineFailed.dispose();
    this.log.dispose();
  }

  /** Of the model that is loaded; undefined where its certainty is known, as that of the embedded one. */
  private get calibration(): Calibration | undefined {
    const { model } = this.engine;
    if (model === undefined || model.modelPath === embeddedModelPath(this.root)) return undefined;
    return this.calibrations.of(model.modelPath);
  }

  /** Whether the model reads pieces of that kind; of one that is not loaded yet it is asked again when it is. */
  private mayRead(kind: SnippetKind): boolean {
    const { state, parameters, fim } = this.engine;
    const elsewhere = this.control.current?.engine;
    const reads = (reader: Reader): boolean => sharesFor(this.config.completion, reader).has(kind);
    return (state === 'ready' && reads({ parameters, fim })) || (elsewhere !== undefined && reads(elsewhere));
  }

  /** Another model, other suggestions. */
  private resetSuggestions(): void {
    this.pipeline.reset();
    this.provider.reset();
    this.generator.reset();
  }

  private onEngineState(state: EngineState): void {
    if (state !== 'ready') this.resetSuggestions();
    this.statusPresenter.refresh();
    this.engineChanged.fire(state);
    if (state === 'ready') {
      if (this.engine.info !== undefined) this.log.loaded(this.engine.info);
      this.surroundings.refresh();
      this.restraints.look();
      this.askAgainAfterLoading();
      this.preparer.wait();
    }
    if (state === 'failed' && this.engine.error !== undefined) {
      this.log.failed(this.engine.error);
      this.engineFailed.fire(this.engine.error);
    }
  }

  private onRemoteChange(): void {
    const fim = this.control.current?.engine.fim;
    // What it reads is known once it was looked at.
    if (fim !== this.remoteFim) this.surroundings.refresh();
    this.remoteFim = fim;
    this.statusPresenter.refresh();
  }

  private onModelRefused(error: NativeError, further = ''): void {
    this.statusPresenter.refresh();
    this.log.failed(error);
    this.engineFailed.fire({ ...error, message: `${error.message}${further}` });
  }

  /** Who typed while the model was loading gets the suggestion without typing again. */
  private askAgainAfterLoading(): void {
    const { last } = this.requests;
    const document = vscode.window.activeTextEditor?.document;
    if (last?.outcome.reason !== 'model_loading' || document?.uri.toString() !== last.uri) return;
    if (document.version === last.version) void this.provider.askAgain();
  }

  private onRequestEnd(request: FinishedRequest): void {
    this.requests.add(request);
    this.log.request(request.sequence, request.languageId, request.outcome);
    this.statusPresenter.requestEnded(request, this.provider.pending);
  }

  private onGeneratorChange(): void {
    this.preparer.wait();
    setContextKey('generating', this.writing);
    this.statusPresenter.refresh();
  }

  private onEditEnd(edit: StructuredEdit): void {
    const completion = edit.proposal?.completion;
    if (completion !== undefined) this.drafting.add(completion.drafting);
    this.log.edit(edit);
  }

  private onGenerationEnd(generation: Generation): void {
    if (generation.completion !== undefined) this.drafting.add(generation.completion.drafting);
    this.log.generation(generation);
  }

  private onRestraint(): void {
    setContextKey('paused', this.pausedUntil !== undefined);
    if (this.restraints.current !== undefined) this.provider.cancel();
    this.preparer.wait();
    this.statusPresenter.refresh();
  }
}
