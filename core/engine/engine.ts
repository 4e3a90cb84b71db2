/**
 * A loaded model with one session, as the extension, the terminal and the bench use it.
 *
 * Requests are latest-wins: a new one cancels those before it, in the call itself. Whoever awaits a cancelled request gets
 * its answer with the stop `cancelled`, as soon as the engine has let go of it. A fork has a session, and requests, of its own.
 */
import { kernelLibraryBeside, loadAddon } from './binding';
import { EngineSpeed } from './engine_speed';
import { type EngineAnswer, type EngineRequest, nativeRequest, SEVERAL_LINES } from './engine_request';
import type { NativeGrammar, NativeGrammarSource } from './native_grammar';
import type { NativeDispatch } from './native_inspection';
import {
  type DeviceChoice,
  type NativeAddon,
  type NativeChat,
  type NativeCompletion,
  type NativeFim,
  type NativeModel,
  type NativeModelInfo,
  type NativeModelOptions,
  type NativeProgress,
  type NativeSession,
  NO_COMPLETION,
  NO_TIMINGS,
} from './native_types';
import type { NativeError, NativeResult } from './native_result';
import { Watchdog } from './watchdog';

/** As NativeModelOptions has it, where nothing else is said. */
export interface EngineOptions extends Partial<Omit<NativeModelOptions, 'path' | 'availableMemory'>> {
  /** The addon's absolute path. */
  readonly addonPath: string;
  /** A GGUF file, or a folder of Hugging Face's or MLX's. */
  readonly modelPath: string;
  /** Default: 0. */
  readonly threads?: number;
  /** Default: `auto`. */
  readonly device?: DeviceChoice;
  /** Most tokens of prompt and completion together; the model's own limit caps it. Memory is used as it fills. Default: DEFAULT_CONTEXT. */
  readonly context?: number;
  /** Default: the file beside the addon, where there is one. */
  readonly metalLibrary?: string;
}

/** Holds the largest prompt a user can configure, the longest suggestion and the longest healed tail. */
export const DEFAULT_CONTEXT = 4_480;

const CLOSED: NativeError = { code: 'MODEL_CLOSED', message: 'The engine was stopped; load it again.' };
const FORK_CLOSED: NativeError = {
  code: 'SESSION_CLOSED',
  message: 'This fork was stopped; fork its engine again.',
};

/** What an engine needs of the addon. */
export type EngineAddon = Pick<NativeAddon, 'loadModel' | 'compileGrammar'>;

export class Engine {
  /** How fast this model runs on this machine; one with all forks. */
  readonly speed: EngineSpeed;
  readonly info: NativeModelInfo;
  /** What was loaded: a file, or a folder. */
  readonly modelPath: string;
  /** Most tokens of prompt and completion together. */
  readonly context: number;
  private readonly addon: EngineAddon;
  private readonly model: NativeModel;
  private readonly session: NativeSession;
  /** The engine that loaded the model, and closes it: this one, or the one it was forked from in the end. */
  private readonly loader: Engine;
  /** Of the model's thread; one with all forks. */
  readonly watchdog: Watchdog;
  /** Ids of requests that are not settled. */
  private readonly running = new Set<number>();
  private nextId = 1;
  private disposing: Promise<void> | undefined;

  private constructor(
    addon: EngineAddon,
    model: NativeModel,
    session: NativeSession,
    { context, modelPath, watchdog }: Pick<Engine, 'context' | 'modelPath' | 'watchdog'>,
    loader?: Engine,
  ) {
    this.addon = addon;
    this.model = model;
    this.session = session;
    this.loader = loader ?? this;
    this.speed = loader?.speed ?? new EngineSpeed();
    this.watchdog = watchdog;
    this.info = model.info();
    this.context = context;
    this.modelPath = modelPath;
  }

  /** Loads the addon and the model. Never rejects. */
  static async load(options: EngineOptions): Promise<NativeResult<Engine>> {
    const { addonPath, ...others } = options;
    const addon = loadAddon(addonPath);
    if (!addon.ok) return addon;
    const beside = kernelLibraryBeside(addonPath);
    return Engine.loadFrom(addon.value, {
      ...(beside === undefined ? {} : { metalLibrary: beside }),
      ...others,
    });
  }

  /**
   * The same with an addon that is there.
   * @param watch What looks after the thread of the model.
   */
  static async loadFrom(
    addon: EngineAddon,
    options: Omit<EngineOptions, 'addonPath'>,
    watch = (progress: () => NativeProgress): Watchdog => new Watchdog(progress),
  ): Promise<NativeResult<Engine>> {
    const { modelPath, context = DEFAULT_CONTEXT, ...others } = options;
    const model = await addon.loadModel({
      threads: 0,
      device: 'auto',
      ...others,
      path: modelPath,
      // Of a context without end nobody knows how much of it will be used.
      ...(Number.isFinite(context) ? { context } : {}),
    });
    if (!model.ok) return model;
    const capacity = Math.min(context, model.value.info().contextLength);
    const session = await model.value.createSession({ context: capacity });
    if (!session.ok) {
      await model.value.close();
      return session;
    }
    const watchdog = watch(() => model.value.progress());
    const about = { context: capacity, modelPath, watchdog };
    return { ok: true, value: new Engine(addon, model.value, session.value, about) };
  }

  get parameters(): number {
    return this.info.parameters;
  }

  /** What the model's file says about filling in the middle. */
  get fim(): NativeFim | undefined {
    return this.info.fim;
  }

  /** How the model was taught to be talked to, as its file says. */
  get chat(): NativeChat | undefined {
    return this.info.chat;
  }

  get state(): 'ready' | 'stopped' {
    return this.closedBy === undefined ? 'ready' : 'stopped';
  }

  /** What later calls give; undefined while there is nothing against them. */
  private get closedBy(): NativeError | undefined {
    if (this.loader.disposing !== undefined) return CLOSED;
    return this.disposing === undefined ? undefined : FORK_CLOSED;
  }

  /** Continues the text over several lines, as far as the model does. */
  generate(
    request: EngineRequest,
    signal: AbortSignal,
    onText: (piece: string) => void,
  ): Promise<EngineAnswer> {
    return this.complete({ ...request, ...SEVERAL_LINES }, signal, onText);
  }

  /**
   * Runs one completion, cancelling those before it. Aborting `signal` cancels it in the abort itself. Never rejects.
   * @param onText Receives pieces of the text as they are made, before the promise settles.
   */
  async complete(
    request: EngineRequest,
    signal?: AbortSignal,
    onText?: (piece: string) => void,
  ): Promise<EngineAnswer> {
    const closed = this.closedBy;
    if (closed !== undefined) return { ok: false, error: closed };
    if (signal?.aborted === true) return { ok: true, value: CANCELLED_BEFORE_IT_BEGAN };
    this.cancelAll();
    const id = this.nextId++;
    const cancel = (): void => this.session.cancel(id);
    this.running.add(id);
    this.watchdog.begin();
    signal?.addEventListener('abort', cancel, { once: true });
    const result = await this.session.complete(nativeRequest(id, request), onText);
    signal?.removeEventListener('abort', cancel);
    this.running.delete(id);
    this.watchdog.end();
    if (result.ok) this.speed.record(result.value.timings);
    return result;
  }

  /** Cancels everything under way: the engine's flag is set when this returns. */
  cancelAll(): void {
    for (const id of this.running) this.session.cancel(id);
  }

  tokenize(text: string, parseSpecial: boolean): Promise<NativeResult<Uint32Array>> {
    return this.model.tokenize(text, parseSpecial);
  }

  detokenize(ids: Uint32Array): Promise<NativeResult<Uint8Array>> {
    return this.model.detokenize(ids);
  }

  /** The raw logits after the last of `ids`, `info.vocabulary` of them. */
  logits(ids: Uint32Array): Promise<NativeResult<Float32Array>> {
    return this.model.logits(ids);
  }

  /** NativeModel.dispatches. */
  dispatches(rows: number, sampled: boolean): Promise<NativeResult<readonly NativeDispatch[]>> {
    return this.model.dispatches(rows, sampled);
  }

  /** Compiles a grammar for the requests of any engine. On a thread of its own, while the model works. Never rejects. */
  compileGrammar(source: NativeGrammarSource): Promise<NativeResult<NativeGrammar>> {
    return this.addon.compileGrammar(source);
  }

  /** NativeModel.maskTimes. */
  maskTimes(grammar: NativeGrammar, instance: string): Promise<NativeResult<Float64Array>> {
    return this.model.maskTimes(grammar, instance);
  }

  /**
   * Another engine over the same loaded model, whose session goes on from what this one has seen once the requests before
   * the call are served (NativeSession.fork). Each of the two cancels its own requests alone; the model serves them all in
   * the order they were made. Never rejects.
   */
  async fork(): Promise<NativeResult<Engine>> {
    const closed = this.closedBy;
    if (closed !== undefined) return { ok: false, error: closed };
    const session = await this.session.fork();
    if (!session.ok) return session;
    const forked = new Engine(this.addon, this.model, session.value, this, this.loader);
    return { ok: true, value: forked };
  }

  /**
   * Cancels what runs and frees the model; settles when its memory is free. Later calls give MODEL_CLOSED, those of forks too.
   * A fork frees its session alone; completing or forking it later gives SESSION_CLOSED.
   */
  dispose(): Promise<void> {
    this.disposing ??= this.loader === this ? this.model.close() : this.session.close();
    return this.disposing;
  }
}

const CANCELLED_BEFORE_IT_BEGAN: NativeCompletion = {
  ...NO_COMPLETION,
  timings: { ...NO_TIMINGS, cancelPhase: 'queued' },
};
