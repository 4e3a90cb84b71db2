/** What this machine does with the model that is loaded, measured when somebody asks: how fast memory is read, and tokens a second beside what that allows. */
import type { EngineAnswer, EngineRequest } from '../engine/engine_request';
import { median } from '../engine/engine_speed';
import { kvBytesAPosition } from '../engine/kv_cache';
import { MAX_BATCH_ROWS } from '../engine/native_inspection';
import type { NativeResult } from '../engine/native_result';
import type { NativeAddon, NativeModelInfo } from '../engine/native_types';
import { bandwidthOf } from './expected_speed';

/** Tokens a second; limits are what the bandwidth of memory allows, and undefined on a GPU, whose memory nobody measures here. */
export interface MachineMeasurement {
  /** The name of the model. */
  readonly model: string;
  readonly device: string;
  /** Whether it is the model that comes with Emberline, of which there are figures of other machines. */
  readonly embedded: boolean;
  /** ISO 8601. */
  readonly takenAt: string;
  readonly bytesASecond: number | undefined;
  readonly decodeRate: number;
  /** Every weight, and every key and value, read once a token. */
  readonly decodeLimit: number | undefined;
  readonly prefillRate: number;
  /** The weights read once a slice of a prompt; how fast the processor multiplies is not measured here, and binds sooner on most. */
  readonly prefillLimit: number | undefined;
}

/** A session of the loaded model that is measured: one of its own. */
export interface MeasuredSession {
  complete(request: EngineRequest, signal: AbortSignal): Promise<EngineAnswer>;
  dispose(): Promise<void>;
}

export interface MeasuredModel {
  readonly info: Pick<NativeModelInfo, 'name' | 'device' | 'kvCache' | 'vocabulary'>;
  readonly modelPath: string;
  readonly embedded: boolean;
  /** Most tokens of a prompt and its text. */
  readonly context: number;
  fork(): Promise<NativeResult<MeasuredSession>>;
}

/** Tokens of the prompt, as in `npm run bench -- decode`, where the context has room. */
const PROMPT = 512;
const GENERATED = 64;
/** Of each figure; the median counts. */
const REPEATS = 3;
/** A text that the model ends sooner says little. */
const LEAST_GENERATED = 16;
/** Ids that a prompt may hold; which does not matter but for when the model ends its text. */
const FIRST_ID = 1_000;

interface Rates {
  readonly prefill: number;
  readonly decode: number;
}

/**
 * Takes some seconds; each request is short, so that one of the editor waits for little. Never rejects.
 * @param signal Aborted: CANCELLED.
 */
export async function measureMachine(
  addon: Pick<NativeAddon, 'inspect' | 'readBandwidth'>,
  model: MeasuredModel,
  signal: AbortSignal,
): Promise<NativeResult<MachineMeasurement>> {
  const inspected = await addon.inspect(model.modelPath);
  if (!inspected.ok) return inspected;
  const { outline } = inspected.value;
  const { name, device, kvCache } = model.info;
  const isProcessor = device.startsWith('cpu');
  const positions = Math.max(1, Math.min(PROMPT, model.context - GENERATED - 1));
  const session = await model.fork();
  if (!session.ok) return session;
  const rates = await measureRates(session.value, positions, model.info.vocabulary, signal);
  await session.value.dispose();
  if (!rates.ok) return rates;
  const about = { model: name, device, embedded: model.embedded, takenAt: new Date().toISOString() };
  const measured = { ...about, decodeRate: rates.value.decode, prefillRate: rates.value.prefill };
  const none = { bytesASecond: undefined, decodeLimit: undefined, prefillLimit: undefined };
  if (!isProcessor || outline === undefined) return { ok: true, value: { ...measured, ...none } };
  const bytes = outline.tokenBytes + positions * kvBytesAPosition(outline.kvCache[kvCache]);
  const bandwidth = await bandwidthOf(addon, bytes);
  if (!bandwidth.ok) return bandwidth;
  const limits = {
    bytesASecond: bandwidth.value,
    decodeLimit: bandwidth.value / bytes,
    prefillLimit: (MAX_BATCH_ROWS * bandwidth.value) / outline.weightBytes,
  };
  return { ok: true, value: { ...measured, ...limits } };
}

async function measureRates(
  session: MeasuredSession,
  positions: number,
  vocabulary: number,
  signal: AbortSignal,
): Promise<NativeResult<Rates>> {
  const prefill: number[] = [];
  const decode: number[] = [];
  for (let round = 0; round < REPEATS; round++) {
    // Another one each time, which the KV cache does not have.
    const first = FIRST_ID + round * PROMPT;
    const prompt = Array.from({ length: positions }, (_, index) => (first + index) % vocabulary);
    const asked = { prompt, maxTokens: GENERATED, singleLine: false, banBlankStart: true };
    const answer = await session.complete(asked, signal);
    if (!answer.ok) return answer;
    if (answer.value.stop === 'cancelled' || signal.aborted) return CANCELLED;
    const { promptTokens, reusedTokens, generatedTokens, queueMs, prefillMs, totalMs } = answer.value.timings;
    const decodeMs = totalMs - queueMs - prefillMs;
    if (prefillMs > 0) prefill.push((1_000 * (promptTokens - reusedTokens)) / prefillMs);
    if (generatedTokens >= LEAST_GENERATED && decodeMs > 0) decode.push((1_000 * generatedTokens) / decodeMs);
  }
  const [prefillRate, decodeRate] = [median(prefill), median(decode)];
  if (prefillRate === undefined || decodeRate === undefined) return TOO_SHORT;
  return { ok: true, value: { prefill: prefillRate, decode: decodeRate } };
}

const CANCELLED = {
  ok: false,
  error: {
    code: 'CANCELLED',
    message: 'The measurement made way for a suggestion; measure again while nothing is typed.',
  },
} as const;

const TOO_SHORT = {
  ok: false,
  error: {
    code: 'INVALID_ARGUMENT',
    message: 'The model ends its texts too soon to be measured; choose another model.',
  },
} as const;
