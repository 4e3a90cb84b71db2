/** All that the dashboard shows, as it is sent to its page and written by its export: numbers, words of closed sets, and names of models and languages. */
import type { MachineMeasurement } from '../models/machine_measurement';
import type { HistogramCounts } from './histogram';
import { isRequestRecord, type RequestRecord } from './request_record';
import { isCount, isFlag, isList, isMaybe, isNumber, isObject, isText } from './shape';
import { isUsage, type Usage } from './usage';

export interface ModelFigures {
  /** As its file calls it. */
  readonly name: string;
  /** For example `cpu, avx512, 2 threads`. */
  readonly device: string;
  readonly quantization: string;
  readonly parameters: number;
  /** Tokens. */
  readonly context: number;
  /** Tokens a second, the median of the last requests; undefined until measured. */
  readonly prefillRate: number | undefined;
  readonly decodeRate: number | undefined;
}

/** Bytes, by the headers of the model's file. */
export interface MemoryFigures {
  readonly weights: number;
  /** Of keys and values of the last prompt and its text. */
  readonly kvNow: number;
  /** Of the whole context. */
  readonly kvMost: number;
}

/** Since the editor started. */
export interface DraftFigures {
  readonly drafted: number;
  readonly accepted: number;
  readonly savedMs: number;
}

export interface DashboardData {
  /** Of Emberline. */
  readonly version: string;
  /** When it was taken, ISO 8601. */
  readonly takenAt: string;
  /** Undefined while none is loaded. */
  readonly model: ModelFigures | undefined;
  readonly memory: MemoryFigures | undefined;
  /** The last ones, the oldest first. */
  readonly requests: readonly RequestRecord[];
  readonly keyToGhost: HistogramCounts;
  readonly drafts: DraftFigures;
  readonly usage: Usage;
  /** What the machine was last measured to do. */
  readonly machine: MachineMeasurement | undefined;
  /** How late the extension host's thread was while the dashboard was open, ms; it is shared with all other extensions. */
  readonly threadDelay: HistogramCounts | undefined;
}

const MOST_TEXT = 500;
const MOST_BUCKETS = 64;
/** More than are kept. */
const MOST_RECORDS = 1_000;

const text = isText(MOST_TEXT);
const isHistogram = isObject<HistogramCounts>({
  bounds: isList(isNumber, MOST_BUCKETS),
  counts: isList(isCount, MOST_BUCKETS + 1),
});

export const isDashboardData = isObject<DashboardData>({
  version: text,
  takenAt: text,
  model: isMaybe(
    isObject<ModelFigures>({
      name: text,
      device: text,
      quantization: text,
      parameters: isCount,
      context: isCount,
      prefillRate: isMaybe(isNumber),
      decodeRate: isMaybe(isNumber),
    }),
  ),
  memory: isMaybe(isObject<MemoryFigures>({ weights: isCount, kvNow: isCount, kvMost: isCount })),
  requests: isList(isRequestRecord, MOST_RECORDS),
  keyToGhost: isHistogram,
  drafts: isObject<DraftFigures>({ drafted: isCount, accepted: isCount, savedMs: isNumber }),
  usage: isUsage,
  machine: isMaybe(
    isObject<MachineMeasurement>({
      model: text,
      device: text,
      embedded: isFlag,
      takenAt: text,
      bytesASecond: isMaybe(isNumber),
      decodeRate: isNumber,
      decodeLimit: isMaybe(isNumber),
      prefillRate: isNumber,
      prefillLimit: isMaybe(isNumber),
    }),
  ),
  threadDelay: isMaybe(isHistogram),
});
