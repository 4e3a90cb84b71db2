/** The part of the native surface that is for looking: what is in a model file, and what the device is told for a batch. */
import type { KvCache, NativeKvLayers } from './kv_cache';
import type { NativeErrorCode } from './native_result';

export interface NativeTensor {
  readonly name: string;
  readonly type: string;
  /** Extents, fastest first, as GGUF stores them. */
  readonly shape: readonly number[];
  readonly bytes: number;
}

/** What a model that runs takes in memory, and the tokens that mark the parts of a prompt. */
export interface NativeOutline {
  /** As the processor keeps them. */
  readonly weightBytes: number;
  /** Of weights that a token reads: of experts those that it is routed to. */
  readonly tokenBytes: number;
  /** Of keys and values, for each kind of cache: of layers that keep all positions, and of those with a sliding window. */
  readonly kvCache: Readonly<Record<KvCache, readonly NativeKvLayers[]>>;
  readonly contextLength: number;
  readonly fim: NativeFimTokens;
}

/** Ids; without the tokens that there are not. */
export interface NativeFimTokens {
  readonly prefix?: number;
  readonly suffix?: number;
  readonly middle?: number;
  /** Between files. */
  readonly separator?: number;
  /** In front of a repository's name. */
  readonly repository?: number;
}

/** What is in a model file, read without loading it. */
export interface NativeInspection {
  /** Of GGUF; 0: a folder. */
  readonly version: number;
  readonly fileBytes: number;
  readonly metadata: readonly { readonly key: string; readonly type: string; readonly value: string }[];
  readonly tensors: readonly NativeTensor[];
  /** Empty when the engine can run it, else why it cannot. */
  readonly unsupported: string;
  /** Of `unsupported`, where that is not empty. */
  readonly unsupportedCode: NativeErrorCode;
  /** Of one that runs. */
  readonly outline: NativeOutline | undefined;
}

/** A text among the metadata, which are printed as JSON has them; undefined where there is none. */
export function metadataText(
  { metadata }: Pick<NativeInspection, 'metadata'>,
  key: string,
): string | undefined {
  return metadata.find((entry) => entry.key === key)?.value.replace(/^"|"$/g, '');
}

/** What changes between tokens in a command. */
export type NativePatch = 'none' | 'token_offset' | 'position' | 'argmax_output';

/** A command of the device: on the CPU, where a threadgroup is a piece of work that one thread does, of the model's table. */
export interface NativeDispatch {
  /** For example `layer 3 attention`. */
  readonly label: string;
  /** On the CPU, the op. */
  readonly kernel: string;
  readonly threadgroups: readonly [number, number, number];
  /** In a threadgroup. */
  readonly threads: number;
  readonly patch: NativePatch;
  /** Read, in the device's layout. */
  readonly weightBytes: number;
  /** Of keys and values, read for each position that is seen. */
  readonly kvBytes: number;
  /** Read and written besides: activations, tables. */
  readonly otherBytes: number;
}

/** The most rows of a batch: those of a slice of a prompt. */
export const MAX_BATCH_ROWS = 64;
