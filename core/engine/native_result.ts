/** The part of the native surface that is about failure: results are values. */

/** The closed set of error codes; the same names as `code_name` in native/base/status.cpp. */
export const NATIVE_ERROR_CODES = [
  'FILE_NOT_FOUND',
  'FILE_ACCESS_DENIED',
  'FILE_NOT_REGULAR',
  'FILE_IO',
  'MODEL_NOT_GGUF',
  'MODEL_VERSION_UNSUPPORTED',
  'MODEL_TRUNCATED',
  'MODEL_CORRUPT',
  'MODEL_METADATA_MISSING',
  'MODEL_METADATA_INVALID',
  'MODEL_ARCHITECTURE_UNSUPPORTED',
  'MODEL_TENSOR_TYPE_UNSUPPORTED',
  'MODEL_TENSOR_MISSING',
  'MODEL_TENSOR_SHAPE',
  'MODEL_TOKENIZER_UNSUPPORTED',
  'MODEL_EXCEEDS_MEMORY',
  'DRAFT_TOKENIZER_DIFFERS',
  'INVALID_ARGUMENT',
  'OUT_OF_MEMORY',
  'CONTEXT_OVERFLOW',
  'SESSION_CLOSED',
  'MODEL_CLOSED',
  'LOGITS_NOT_FINITE',
  'ALL_TOKENS_MASKED',
  'DEVICE_UNAVAILABLE',
  'DEVICE_FAILED',
  'GRAMMAR_INVALID',
  'GRAMMAR_UNSUPPORTED',
  'GRAMMAR_TOO_LARGE',
  'GRAMMAR_REJECTS_PREFIX',
  'INTERNAL',
] as const;

export type NativeErrorCode = (typeof NATIVE_ERROR_CODES)[number];

/** Those that do not come from the addon: it could not be loaded (binding.ts), its thread stands still (watchdog.ts), a model was tried in vain (core/models/model_trial.ts) or not fetched (core/models/download). */
export type HostErrorCode =
  | 'ADDON_NOT_LOADED'
  | 'ENGINE_STANDS_STILL'
  | 'TRIAL_NOT_STARTED'
  | 'MODEL_CRASHED'
  | 'MODEL_TOO_SLOW'
  | 'DOWNLOAD_FAILED'
  | 'DOWNLOAD_DAMAGED'
  | 'DISK_FULL'
  | 'CANCELLED';

/** Of the template by which a model's file lays out a chat (core/chat). */
export type ChatErrorCode = 'CHAT_TEMPLATE_INVALID' | 'CHAT_TEMPLATE_LIMIT' | 'CHAT_TEMPLATE_NOT_RUN';

/** Of a remote engine (core/remote). */
export type RemoteErrorCode =
  | 'REMOTE_ADDRESS'
  | 'REMOTE_KEY'
  | 'REMOTE_MODEL'
  | 'REMOTE_BUSY'
  | 'REMOTE_LATE'
  | 'REMOTE_UNREACHABLE'
  | 'REMOTE_FAILED';

export interface NativeError {
  readonly code: NativeErrorCode | HostErrorCode | ChatErrorCode | RemoteErrorCode;
  /** One sentence that says what happened and what to do. */
  readonly message: string;
}

export type NativeResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: NativeError };
