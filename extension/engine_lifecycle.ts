/**
 * The engine's life as the extension sees it: loading, ready, failed, stopped. It is what the completion pipeline and
 * the generator ask, and answers in every state; loading never blocks, and a restart while loading supersedes what was loading.
 */
import type { CompletionEngine, EngineState, GenerationEngine } from '../core/completion/engine_port';
import type { Vocabulary } from '../core/chat/control_tokens';
import type { EngineAnswer, EngineRequest } from '../core/engine/engine_request';
import type { NativeGrammar, NativeGrammarSource } from '../core/engine/native_grammar';
import type { NativeChat, NativeFim, NativeModelInfo } from '../core/engine/native_types';
import type { NativeError, NativeResult } from '../core/engine/native_result';
import { standstillError, type Watchdog } from '../core/engine/watchdog';
import type { MeasuredSession } from '../core/models/machine_measurement';

/** A model that is loaded and can complete. */
export interface LoadedEngine
  extends Vocabulary, Pick<GenerationEngine, 'context' | 'complete' | 'generate'> {
  readonly info: NativeModelInfo;
  /** What was loaded: a file, or a folder. */
  readonly modelPath: string;
  readonly speed: CompletionEngine['speed'] & {
    /** Tokens a second when generating; undefined until measured. */
    readonly decodeTokensPerSecond?: number | undefined;
  };
  /** For the requests of this engine and of any other. */
  compileGrammar(source: NativeGrammarSource): Promise<NativeResult<NativeGrammar>>;
  /** Another session of the model, for who would not disturb this one. */
  fork(): Promise<NativeResult<MeasuredSession>>;
  /** Says where its thread stands still, so that disposing of it may never end. */
  readonly watchdog: Pick<Watchdog, 'standsStill' | 'tell'>;
  /** Cancels what runs and frees the model. */
  dispose(): Promise<void>;
}

/** What there is to know of a loaded model, and a session of it to measure. */
export type KnownModel = Pick<LoadedEngine, 'info' | 'modelPath' | 'speed' | 'context' | 'fork'>;

/** `refused`: why it is not the model that was asked for. */
export type LoadedResult = NativeResult<LoadedEngine> & { readonly refused?: NativeError };

export type LoadEngine = () => Promise<LoadedResult>;

/** What keeps a running model from being given up for one that cannot run. */
export interface ModelSwitch {
  /** Whether what LoadEngine would load can run once `freed` bytes are given up, as far as its files' headers say. */
  readonly check: (freed: number) => Promise<NativeResult<unknown>>;
  /** Called where it cannot, and the model that runs goes on. */
  readonly refused: (error: NativeError) => void;
  /** Called where another model was loaded instead. */
  readonly replaced: (error: NativeError) => void;
}

/** Errors after which the loaded model is of no use. */
const FATAL: ReadonlySet<NativeError['code']> = new Set([
  'SESSION_CLOSED',
  'MODEL_CLOSED',
  'DEVICE_FAILED',
  // While something is computed: the GPU is gone for this process.
  'DEVICE_UNAVAILABLE',
  'INTERNAL',
]);

const NOT_LOADED = {
  ok: false,
  error: { code: 'MODEL_CLOSED', message: 'No model is loaded; restart the engine.' },
} as const;

/** How long an engine that stands still is waited for when it is given up, ms. */
const LAST_WAIT_MS = 5_000;

const UNMEASURED: CompletionEngine['speed'] = { prefillTokensPerSecond: undefined };

export class EngineLifecycle implements GenerationEngine {
  private current: EngineState = 'stopped';
  private failure: NativeError | undefined;
  private loaded: LoadedEngine | undefined;
  /** Who waits for the end of a load. */
  private readonly waiting = new Set<() => void>();
  /** Counts starts, so that a load that was overtaken by a restart is recognised. */
  private generation = 0;
  /** Ends with the last load that was asked for: two models at once may be more than memory holds. */
  private turn: Promise<void> = Promise.resolve();
  /** Settles once the last model that was given up is freed. */
  private unloading: Promise<unknown> = Promise.resolve();
  /** Texts that are being generated. */
  private textsUnderWay = 0;
  private readonly load: LoadEngine;
  private readonly changed: (state: EngineState) => void;
  private readonly modelSwitch: ModelSwitch | undefined;

  /**
   * @param changed Called after every change of state.
   * @param modelSwitch Absent: a model that runs is given up for whatever is loaded next.
   */
  constructor(load: LoadEngine, changed: (state: EngineState) => void, modelSwitch?: ModelSwitch) {
    this.modelSwitch = modelSwitch;
    this.load = load;
    this.changed = changed;
  }

  get state(): EngineState {
    return this.current;
  }

  /** Why the state is `failed`; where it is `ready`, why it is not the model that was asked for. */
  get error(): NativeError | undefined {
    return this.failure;
  }

  get speed(): CompletionEngine['speed'] {
    return this.loaded?.speed ?? UNMEASURED;
  }

  get context(): number | undefined {
    return this.loaded?.context;
  }

  get parameters(): number | undefined {
    return this.loaded?.info.parameters;
  }

  get fim(): NativeFim | undefined {
    return this.loaded?.info.fim;
  }

  get chat(): NativeChat | undefined {
    return this.loaded?.info.chat;
  }

  get generating(): boolean {
    return this.textsUnderWay > 0;
  }

  /** Undefined while none is loaded. */
  get model(): KnownModel | undefined {
    return this.loaded;
  }

  get info(): NativeModelInfo | undefined {
    return this.loaded?.info;
  }

  /**
   * Loads the model, first unloading the one there is, unless the new one turns out not to run before that. Settles when the state is
   * final; never rejects.
   */
  async start(): Promise<void> {
    const generation = ++this.generation;
    this.failure = undefined;
    if (this.modelSwitch !== undefined && this.current === 'ready') {
      const checked = await this.modelSwitch.check(this.info?.heldBytes ?? 0);
      if (generation !== this.generation) return;
      // The state may have changed meanwhile: a model that failed is not worth keeping.
      if (!checked.ok && this.state === 'ready') {
        this.failure = checked.error;
        this.modelSwitch.refused(checked.error);
        return;
      }
    }
    this.failure = undefined;
    this.enter('loading');
    const next = (): Promise<void> => this.loadNext(generation);
    this.turn = this.turn.then(next, next);
    await this.turn;
  }

  /** Settles once no model is being loaded, or `signal` is aborted. */
  async settled(signal: AbortSignal): Promise<void> {
    while (this.state === 'loading' && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const settle = (): void => {
          signal.removeEventListener('abort', settle);
          this.waiting.delete(settle);
          resolve();
        };
        signal.addEventListener('abort', settle);
        this.waiting.add(settle);
      });
    }
  }

  /** Unloads the model. */
  async stop(): Promise<void> {
    this.generation++;
    this.enter('stopped');
    await this.unload();
  }

  complete(request: EngineRequest, signal: AbortSignal): Promise<EngineAnswer> {
    return this.ask((engine) => engine.complete(request, signal));
  }

  async generate(
    request: EngineRequest,
    signal: AbortSignal,
    onText: (piece: string) => void,
  ): Promise<EngineAnswer> {
    this.textsUnderWay++;
    try {
      return await this.ask((engine) => engine.generate(request, signal, onText));
    } finally {
      this.textsUnderWay--;
    }
  }

  async tokenize(text: string, parseSpecial: boolean): Promise<NativeResult<Uint32Array>> {
    return this.loaded === undefined ? NOT_LOADED : this.loaded.tokenize(text, parseSpecial);
  }

  async detokenize(ids: Uint32Array): Promise<NativeResult<Uint8Array>> {
    return this.loaded === undefined ? NOT_LOADED : this.loaded.detokenize(ids);
  }

  async compileGrammar(source: NativeGrammarSource): Promise<NativeResult<NativeGrammar>> {
    return this.loaded === undefined ? NOT_LOADED : this.loaded.compileGrammar(source);
  }

  private async ask(send: (engine: LoadedEngine) => Promise<EngineAnswer>): Promise<EngineAnswer> {
    const engine = this.loaded;
    if (engine === undefined) return NOT_LOADED;
    const answer = await send(engine);
    if (!answer.ok && FATAL.has(answer.error.code) && engine === this.loaded) this.fail(answer.error);
    return answer;
  }

  /** A hang becomes a failure, with what there is to do about it; it is over if the thread moves again. */
  private watch(engine: LoadedEngine): void {
    let told: NativeError | undefined;
    engine.watchdog.tell({
      stoodStill: (standstill) => {
        if (engine !== this.loaded) return;
        told = standstillError(standstill, engine.info.device);
        this.fail(told);
      },
      movesAgain: () => {
        if (engine !== this.loaded || this.failure !== told) return;
        this.failure = undefined;
        this.enter('ready');
      },
    });
  }

  /** Does nothing where another start, or a stop, came meanwhile. */
  private async loadNext(generation: number): Promise<void> {
    if (generation !== this.generation) return;
    await this.unload();
    if (generation !== this.generation) return;
    const result = await this.load();
    if (generation !== this.generation) {
      if (result.ok) await freed(result.value);
      return;
    }
    if (result.ok) {
      this.loaded = result.value;
      this.failure = result.refused;
      this.watch(result.value);
      this.enter('ready');
      if (result.refused !== undefined) this.modelSwitch?.replaced(result.refused);
    } else {
      this.fail(result.error);
    }
  }

  private fail(error: NativeError): void {
    this.failure = error;
    this.enter('failed');
  }

  private enter(state: EngineState): void {
    this.current = state;
    this.changed(state);
    if (state !== 'loading') for (const settle of this.waiting) settle();
  }

  private async unload(): Promise<void> {
    const engine = this.loaded;
    this.loaded = undefined;
    if (engine !== undefined) this.unloading = freed(engine);
    await this.unloading;
  }
}

/** Settles once the model is freed. One that hangs, or comes to, keeps its memory; what comes next need not wait for it. */
function freed(engine: LoadedEngine): Promise<unknown> {
  const { watchdog } = engine;
  const givenUp = new Promise<void>((resolve) => {
    const stoodStill = (): void => void setTimeout(resolve, LAST_WAIT_MS).unref();
    if (watchdog.standsStill) stoodStill();
    else watchdog.tell({ stoodStill, movesAgain: () => undefined });
  });
  return Promise.race([engine.dispose(), givenUp]);
}
