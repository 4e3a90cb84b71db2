/**
 * The whole native surface: what dist/native/emberline.node exports. Five subjects have files of their own: results and
 * errors (native_result.ts), drafts (native_drafting.ts), grammars (native_grammar.ts), keys and values (kv_cache.ts), and what `inspect`
 * shows (native_inspection.ts).
 *
 * Rules that hold for every function here:
 * - Nothing throws and no promise rejects: a failure is a `NativeError` value with a closed code and one sentence.
 * - Synchronous functions return in under a millisecond; everything that touches the model is asynchronous and runs on the
 *   engine's own thread.
 * - No function looks at `this`.
 * - State belongs to the environment (main thread or worker) that loaded the addon.
 */
import type { KvCache } from './kv_cache';
import { type NativeDrafting, type NativeDraftingCounts, NO_DRAFTS } from './native_drafting';
import type { CompileGrammar, NativeGrammar, NativeGrammarUse } from './native_grammar';
import type { NativeDispatch, NativeFimTokens, NativeInspection } from './native_inspection';
import type { NativeResult } from './native_result';

/** What a model may be asked to run on. */
export const DEVICES = ['auto', 'cpu', 'metal'] as const;
export type DeviceChoice = (typeof DEVICES)[number];

export interface NativeModelOptions {
  /** Path of a GGUF file, a shard of one, or a folder with SafeTensors. */
  readonly path: string;
  /** Compute threads, 1 to 64; 0 lets the engine choose. */
  readonly threads: number;
  /** `metal` is `DEVICE_UNAVAILABLE` where the build or the machine has none; `auto` takes it where it can, else the CPU. */
  readonly device: DeviceChoice;
  /**
   * A folder for packed copies of weights, made when it is not there. The first load of a model leaves one in the
   * background, which later loads map instead of packing the weights again, and which all processes share. On Metal it holds
   * the compiled pipelines instead, in a file named after the kernels, the GPU and the system. Left out: none.
   */
  readonly packedFolder?: string;
  /** The Metal kernels, compiled. Left out, or where there is no such file: their sources, which the addon holds, are. */
  readonly metalLibrary?: string;
  /** Of the sessions to come, and of the draft model's. A device that does not offer it keeps `f16`. Left out: `f16`. */
  readonly kvCache?: KvCache;
  /**
   * Path of a GGUF file whose model drafts for this one. Its tokenizer must be the same, else DRAFT_TOKENIZER_DIFFERS. Left
   * out: none.
   */
  readonly draftPath?: string;
  /** Whether the model is loaded alone where that one cannot be loaded beside it. Left out: no. */
  readonly draftOptional?: boolean;
  /** Instruction set to force, for tests: `auto` or one of `NativeAddon.isas`. */
  readonly isa?: string;
  /**
   * Tokens of the sessions to come, at most 2^24, capped by the model's own: their keys and values must have room beside the weights, else
   * MODEL_EXCEEDS_MEMORY. Left out: the least there is.
   */
  readonly context?: number;
  /** Bytes that may be taken. Left out: what the system says. */
  readonly availableMemory?: number;
}

/** What is asked before a model is loaded in the place of another. */
export interface NativeModelCheck extends NativeModelOptions {
  /** Bytes that the other one gives up. */
  readonly freed?: number;
}

/**
 * The tokens that a model file names for filling in the middle (GGUF's `tokenizer.ggml.fim_*_token_id`), those it has. GGUF has no
 * key for the order of the parts: `layout` is one of our own.
 */
export interface NativeFim extends NativeFimTokens {
  /** The file's `emberline.fim.layout`, else that of the family whose names the tokens have; empty where neither is known. */
  readonly layout: string;
  /** How the family names the files of a repository (core/completion/file_layout.ts); left out where it was not taught with any, or nobody knows. */
  readonly files?: string;
}

/** How a model was taught to be talked to, as its file says. Each is empty where the file has none. */
export interface NativeChat {
  /** GGUF's `tokenizer.chat_template`: how the turns of a chat become one text, in Jinja; at most 1 MiB. */
  readonly template: string;
  /** The names of the tokens that a text begins and ends with, which a template calls `bos_token` and `eos_token`. */
  readonly beginToken: string;
  readonly endToken: string;
}

/** What is known of a loaded model. Plain data, copied at load. */
export interface NativeModelInfo {
  readonly name: string;
  readonly architecture: string;
  readonly fileBytes: number;
  readonly parameters: number;
  readonly quantization: string;
  readonly layers: number;
  readonly width: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly vocabulary: number;
  /** The context the model was trained with, tokens. */
  readonly contextLength: number;
  readonly preTokenizer: string;
  /** Undefined where the file names no such token. */
  readonly fim?: NativeFim;
  /** Undefined where the file has nothing of it. */
  readonly chat?: NativeChat;
  /** For example `cpu, avx512, 2 threads`. */
  readonly device: string;
  /** Why `auto` did not take a GPU that this build could use: one sentence, or empty. */
  readonly deviceReason: string;
  /** As what keys and values are kept. */
  readonly kvCache: KvCache;
  /** Why that is not what was asked for: one sentence, or empty. */
  readonly kvCacheReason: string;
  /** The name of the draft model; empty where there is none. */
  readonly draft: string;
  /** Whether the weights were mapped from a copy in `packedFolder`. */
  readonly packedCopy: boolean;
  /**
   * Bytes that it gives back when it is closed, beyond what the system calls available while it runs; without its sessions. Weights that are mapped from a
   * packed copy are both.
   */
  readonly heldBytes: number;
  readonly loadMs: number;
}

export interface NativeSessionOptions {
  /** Capacity of the KV cache in tokens, 16 to the model's context length. */
  readonly context: number;
}

export interface NativeSampling {
  /** 0 or below: greedy. */
  readonly temperature: number;
  /** 0 or below: off. */
  readonly topK: number;
  /** 1 or above: off. */
  readonly topP: number;
  /** 0 or below: off. */
  readonly minP: number;
  /** 1: off. Applied once per distinct token of the generated text and the last `penaltyWindow` prompt tokens. */
  readonly repeatPenalty: number;
  readonly penaltyWindow: number;
  /** 0 to 2^53 - 1. */
  readonly seed: number;
}

/**
 * A text, or up to 1,024 parts: texts, each tokenized on its own, and tokens by their ids between them. Ids are how control tokens get
 * into a prompt that holds text of a document, which can then never be read as one.
 */
export type NativePrompt = string | readonly (string | number)[];

export interface NativeCompletionRequest {
  /** Chosen by the caller, unique in the session; `cancel` takes it. */
  readonly id: number;
  /** What to condition on. Lone surrogates become U+FFFD; an id that is none of the model's is INVALID_ARGUMENT. */
  readonly prompt: NativePrompt;
  /** Parse control tokens written out in the texts of `prompt` (templates do; document text must not). */
  readonly parseSpecial: boolean;
  /** Token healing: the generated text is forced to begin with this, and it is left out of the result. May be empty. */
  readonly requiredPrefix: string;
  readonly maxTokens: number;
  /** End before the first line break of the text, also where nothing stands before it. */
  readonly singleLine: boolean;
  /**
   * Until a visible character was produced beyond `requiredPrefix`, ban line breaks and control tokens; and, where
   * `requiredPrefix` ends with a space or a tab, further blanks: the indentation at the cursor is complete.
   */
  readonly banBlankStart: boolean;
  /**
   * End behind the token with which {@link NativeCompletion.confidence} falls below this, 0 to 1: whoever shows nothing less likely need
   * not wait for the rest. 0: never.
   */
  readonly leastConfidence: number;
  readonly sampling: NativeSampling;
  readonly drafting: NativeDrafting;
  /** Up to 64 texts in which drafts are looked up beside the prompt, nearest first; their first 32,768 tokens count. */
  readonly references: readonly string[];
  /**
   * Of these, how many of the first are of the prompt's own document, 0 to 64: what followed there when the last tokens stood there
   * before is mixed into the model's law.
   */
  readonly remembered: number;
  /** How many of those behind these are of other files that have a say as well, 0 to 64. */
  readonly rememberedBeside: number;
  /**
   * Up to 4,096 ids of an earlier answer to the same request, from its first on: the text begins with them and goes on from there. They
   * are read behind the prompt, so that what the KV cache holds of them is not computed again. Ids that do not spell `requiredPrefix`, or end
   * the text, are INVALID_ARGUMENT; such as a grammar does not allow, GRAMMAR_REJECTS_PREFIX.
   */
  readonly lead: Uint32Array;
  /**
   * Up to 1,024 ids that may not come right behind the lead. One that would end the text there bars all that would. What comes instead is as
   * probable as it is beside them.
   */
  readonly barred: Uint32Array;
  /** What the text has to be, from the first token on: those that spell `requiredPrefix` included. Left out: anything. */
  readonly grammar?: NativeGrammarUse;
}

/**
 * Why generation ended: `grammar` where nothing more may come, `unsure` where the confidence fell below `leastConfidence`. `cancelled` is
 * an outcome, not an error.
 */
export type NativeStop =
  | 'end_token'
  | 'line_end'
  | 'max_tokens'
  | 'context_full'
  | 'cancelled'
  | 'grammar'
  | 'unsure';

export interface NativeTimings {
  /** Of the prompt, and of the lead behind it. */
  readonly promptTokens: number;
  /** Of these, how many were still in the KV cache. */
  readonly reusedTokens: number;
  readonly generatedTokens: number;
  readonly queueMs: number;
  readonly prefillMs: number;
  /** From the call to the first piece of text; 0 when there was none. */
  readonly firstTokenMs: number;
  readonly totalMs: number;
  /** From the cancel flag to the idle engine; 0 when not cancelled. */
  readonly cancelMs: number;
  /** Where a cancelled request stood: `queued`, `prefill` or `decode`; `none` when not cancelled. */
  readonly cancelPhase: 'none' | 'queued' | 'prefill' | 'decode';
}

/** Of a request for which the engine did nothing. */
export const NO_TIMINGS: NativeTimings = {
  promptTokens: 0,
  reusedTokens: 0,
  generatedTokens: 0,
  queueMs: 0,
  prefillMs: 0,
  firstTokenMs: 0,
  totalMs: 0,
  cancelMs: 0,
  cancelPhase: 'none',
};

/** What a request comes to that never ran: cancelled, and empty. */
export const NO_COMPLETION: NativeCompletion = {
  text: '',
  stop: 'cancelled',
  ids: new Uint32Array(),
  idProbabilities: new Float32Array(),
  confidence: 0,
  tokenProbabilities: new Float32Array(),
  tokenEnds: new Uint32Array(),
  endProbability: 0,
  barredProbability: 0,
  grammarEnded: false,
  timings: NO_TIMINGS,
  drafting: NO_DRAFTS,
};

export interface NativeCompletion {
  /** The generated text without `requiredPrefix`, without the line break that ended it. */
  readonly text: string;
  readonly stop: NativeStop;
  /** What was generated; the lead is no part of it. */
  readonly ids: Uint32Array;
  /**
   * How probable each of them was, 0 to 1: among those that a grammar allows, and while `requiredPrefix` is spelled, those that could.
   */
  readonly idProbabilities: Float32Array;
  /**
   * The probability of the generated tokens that go beyond `requiredPrefix`, all of them, 0 to 1; 0 when there were none. Tokens are
   * rated among those that a grammar allows; the one that spells the prefix's end among those that could.
   */
  readonly confidence: number;
  /**
   * The same token by token: how probable each of those that go beyond `requiredPrefix` was, 0 to 1, in order. The product is
   * `confidence`, up to rounding; empty when there were none.
   */
  readonly tokenProbabilities: Float32Array;
  /**
   * Where `text` ends behind each of these tokens, in UTF-16 units. An end lies behind the last whole character: a token that ends
   * within one may add nothing. Ends never decrease, and the last is `text.length`. An end token adds nothing either, and one with the
   * line break that ended the text what stands before the break. The first n units are as probable as all tokens together up to the
   * first whose end is n or more.
   */
  readonly tokenEnds: Uint32Array;
  /**
   * With `banBlankStart`: how probable a line break or the end was at the first choice beyond `requiredPrefix`, that is, how
   * sure the model is that nothing more belongs on this line, 0 to 1. Otherwise 0.
   */
  readonly endProbability: number;
  /** How probable the barred tokens were together, as far as they could have come, 0 to 1. */
  readonly barredProbability: number;
  /**
   * Whether the text ended where the grammar lets it (`grammar`, `end_token`), so that with the grammar's `prefix` it is a whole one
   * that the grammar accepts. False where something cut it (`max_tokens`, `context_full`, `line_end`, `unsure`, `cancelled`), and
   * without a grammar.
   */
  readonly grammarEnded: boolean;
  readonly timings: NativeTimings;
  readonly drafting: NativeDraftingCounts;
}

export interface NativeSession {
  /**
   * Runs one completion; requests of a session are served in order. `onText` receives pieces of valid text as they are
   * made, on the JS thread, before the promise settles.
   */
  readonly complete: (
    request: NativeCompletionRequest,
    onText?: (piece: string) => void,
  ) => Promise<NativeResult<NativeCompletion>>;
  /** Cancels request `id`, queued or running; unknown ids are ignored. Takes effect at once, without waiting. */
  readonly cancel: (id: number) => void;
  /**
   * Another session of the model that has seen what this one has once the requests before the call are served: its prompts
   * reuse the same tokens from the front. The KV cache is shared, not copied, until one of the two writes to a part of it, and
   * neither sees what the other writes. The two are closed on their own, in any order. SESSION_CLOSED, MODEL_CLOSED,
   * OUT_OF_MEMORY, DEVICE_FAILED.
   */
  readonly fork: () => Promise<NativeResult<NativeSession>>;
  /** Cancels what runs and releases the KV cache, or its share of it. Later calls give SESSION_CLOSED. */
  readonly close: () => Promise<void>;
}

/** What the thread that works for a model is at. */
export interface NativeProgress {
  /** Jobs that it has begun and jobs that it has ended, together: odd while it does one. */
  readonly turns: number;
  /** Of the request that runs, or ran last. */
  readonly phase: 'prefill' | 'decode';
  /** Of its prompt, how many tokens have been read. */
  readonly promptTokens: number;
  readonly generatedTokens: number;
}

export interface NativeModel {
  readonly info: () => NativeModelInfo;
  /** At this moment; waits for nothing. */
  readonly progress: () => NativeProgress;
  readonly createSession: (options: NativeSessionOptions) => Promise<NativeResult<NativeSession>>;
  readonly tokenize: (text: string, parseSpecial: boolean) => Promise<NativeResult<Uint32Array>>;
  /** The bytes the ids stand for (not always valid UTF-8). */
  readonly detokenize: (ids: Uint32Array) => Promise<NativeResult<Uint8Array>>;
  /** The raw float32 logits after the last of `ids`, length `info().vocabulary`. */
  readonly logits: (ids: Uint32Array) => Promise<NativeResult<Float32Array>>;
  /**
   * What the device is told for a batch of `rows` rows, 1 to MAX_BATCH_ROWS: 1 is a decode step, up to 16 a verification, more
   * a slice of a prompt. `sampled`, with one row alone: the token is drawn, on the device or for the CPU to draw.
   */
  readonly dispatches: (rows: number, sampled: boolean) => Promise<NativeResult<readonly NativeDispatch[]>>;
  /**
   * For measurements: how long it took, before each token of `instance` and behind the last, to find the tokens that `grammar`
   * allows there, microseconds. `instance` is what NativeGrammar.check takes; the measure ends where it is rejected. Each call starts
   * with nothing remembered.
   */
  readonly maskTimes: (grammar: NativeGrammar, instance: string) => Promise<NativeResult<Float64Array>>;
  /** Cancels everything, frees memory, unmaps the file. Later calls give MODEL_CLOSED. */
  readonly close: () => Promise<void>;
}

export interface NativeAddon {
  readonly version: string;
  /** Instruction sets this machine can run, best first, for example `['avxvnni', 'avx2', 'portable']`. */
  readonly isas: readonly string[];
  readonly loadModel: (options: NativeModelOptions) => Promise<NativeResult<NativeModel>>;
  /** Whether `loadModel` would succeed, by the headers of the files and the memory there is; no weight is touched. */
  readonly checkModel: (options: NativeModelCheck) => Promise<NativeResult<undefined>>;
  readonly compileGrammar: CompileGrammar;
  readonly inspect: (path: string) => Promise<NativeResult<NativeInspection>>;
  /** How fast the engine's threads read a buffer of so many bytes, 2^16 to 2^30, that they have read before; bytes a second. */
  readonly readBandwidth: (bytes: number) => Promise<NativeResult<number>>;
}
