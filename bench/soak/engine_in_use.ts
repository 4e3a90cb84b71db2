/** The engine of this machine as the pipeline sees it, whichever model is loaded at the moment. */
import type { EditEngine } from '../../core/edit/edit_proposal';
import type { EngineState, GenerationEngine } from '../../core/completion/engine_port';
import { Engine, type EngineOptions } from '../../core/engine/engine';
import type { EngineAnswer, EngineRequest } from '../../core/engine/engine_request';
import type { NativeChat, NativeFim } from '../../core/engine/native_types';
import { valueOf } from '../../cli/failure';

const NOTHING_MEASURED: GenerationEngine['speed'] = { prefillTokensPerSecond: undefined };

export class EngineInUse implements GenerationEngine, EditEngine {
  private readonly options: EngineOptions;
  private loaded: Engine | undefined;

  constructor(options: EngineOptions) {
    this.options = options;
  }

  /** Throws Failure where the model cannot be loaded. */
  async load(): Promise<void> {
    this.loaded = valueOf(await Engine.load(this.options));
  }

  async unload(): Promise<void> {
    const before = this.loaded;
    this.loaded = undefined;
    await before?.dispose();
  }

  get state(): EngineState {
    return this.loaded?.state ?? 'stopped';
  }

  get speed(): GenerationEngine['speed'] {
    return this.loaded?.speed ?? NOTHING_MEASURED;
  }

  get context(): number | undefined {
    return this.loaded?.context;
  }

  get fim(): NativeFim | undefined {
    return this.loaded?.fim;
  }

  get chat(): NativeChat | undefined {
    return this.loaded?.chat;
  }

  get parameters(): number | undefined {
    return this.loaded?.parameters;
  }

  complete(request: EngineRequest, signal: AbortSignal): Promise<EngineAnswer> {
    return this.engine.complete(request, signal);
  }

  generate(
    request: EngineRequest,
    signal: AbortSignal,
    onText: (piece: string) => void,
  ): Promise<EngineAnswer> {
    return this.engine.generate(request, signal, onText);
  }

  compileGrammar(source: Parameters<Engine['compileGrammar']>[0]): ReturnType<Engine['compileGrammar']> {
    return this.engine.compileGrammar(source);
  }

  tokenize(text: string, parseSpecial: boolean): ReturnType<Engine['tokenize']> {
    return this.engine.tokenize(text, parseSpecial);
  }

  detokenize(ids: Uint32Array): ReturnType<Engine['detokenize']> {
    return this.engine.detokenize(ids);
  }

  private get engine(): Engine {
    if (this.loaded === undefined) throw new Error('Nothing is loaded: nobody asks then.');
    return this.loaded;
  }
}
