/** From the settings, of whatever type their values are, to options. */
import { DEFAULT_CONTEXT, type EngineOptions } from '../core/engine/engine';
import { KV_CACHES } from '../core/engine/kv_cache';
import { DEVICES } from '../core/engine/native_types';
import { MULTILINE } from '../core/completion/block_lines';
import { EAGERNESS, LEAST_CERTAINTY } from '../core/completion/certainty';
import { type CompletionOptions, DEFAULT_OPTIONS, DRAFTING, WHERE_IT_PAYS } from '../core/completion/options';
import {
  DEFAULT_SAMPLING,
  MAX_SEED,
  type SamplingOptions,
  SEED_OF_PROMPT,
} from '../core/completion/sampling';
import { ON_BATTERY } from '../core/completion/restraint';
import { HUB } from '../core/models/catalogue';
import { DEFAULT_GENERATE, type GenerateOptions, KEEP_PARTIAL } from '../core/generate/options';
import { PROTOCOLS, type ProtocolChoice } from '../core/remote/protocol';
import { FIM_CHOICES, type FimChoice } from '../core/remote/server';
import { boolean, flags, integer, number, oneOf, path, strings } from './setting_values';

/** Tokens: enough for a line's surroundings; longer than that of any model. */
const LEAST_CONTEXT = 512;
const MOST_CONTEXT = 1_048_576;

/** The value of a setting by its name, without `emberline.` in front. */
export type Setting = (name: string) => unknown;

/** An empty `modelPath` is the embedded model's, an empty `draftPath` that of a draft model that is found, if any is looked for. */
export type EngineSettings = Required<
  Pick<EngineOptions, 'modelPath' | 'context' | 'draftPath' | 'threads' | 'device' | 'kvCache'>
> & { readonly findsDraft: boolean };

export function readCompletion(setting: Setting): CompletionOptions {
  const fallback = DEFAULT_OPTIONS;
  return {
    enabled: boolean(setting('enable'), fallback.enabled),
    languages: flags(setting('languages'), fallback.languages),
    excludedFiles: strings(setting('excludedFiles'), fallback.excludedFiles),
    maxTokens: integer(setting('completion.maxTokens'), fallback.maxTokens, 1, 256),
    promptTokens: integer(setting('completion.promptTokens'), fallback.promptTokens, 0, 4_096),
    leastCertainty: readLeastCertainty(setting),
    multiline: oneOf(setting('completion.multiline'), MULTILINE, fallback.multiline),
    similarCode: oneOf(setting('completion.similarCode'), WHERE_IT_PAYS, fallback.similarCode),
    definitions: oneOf(setting('completion.definitions'), WHERE_IT_PAYS, fallback.definitions),
    recentEdits: boolean(setting('completion.recentEdits'), fallback.recentEdits),
    clipboard: boolean(setting('completion.clipboard'), fallback.clipboard),
    prepares: boolean(setting('completion.readAhead'), fallback.prepares),
    onBattery: oneOf(setting('onBattery'), ON_BATTERY, fallback.onBattery),
    delayMs: number(setting('completion.delay'), fallback.delayMs, 0, 2_000),
    sampling: readSampling(setting),
    drafting: oneOf(setting('drafting'), DRAFTING, fallback.drafting),
    jsonSchemas: boolean(setting('json.schemas'), fallback.jsonSchemas),
  };
}

/** The number that was a setting before there was a word for it still counts where somebody chose one. */
function readLeastCertainty(setting: Setting): number {
  const eagerness = oneOf(setting('completion.eagerness'), EAGERNESS, 'balanced');
  return number(setting('completion.minimumConfidence'), LEAST_CERTAINTY[eagerness], 0, 1);
}

function readSampling(setting: Setting): SamplingOptions {
  const fallback = DEFAULT_SAMPLING;
  return {
    temperature: number(setting('sampling.temperature'), fallback.temperature, 0, 2),
    topK: integer(setting('sampling.topK'), fallback.topK, 0, 1_000),
    topP: number(setting('sampling.topP'), fallback.topP, 0, 1),
    minP: number(setting('sampling.minP'), fallback.minP, 0, 1),
    repeatPenalty: number(setting('sampling.repeatPenalty'), fallback.repeatPenalty, 1, 2),
    seed: integer(setting('sampling.seed'), fallback.seed, SEED_OF_PROMPT, MAX_SEED),
  };
}

export function readGenerate(setting: Setting): GenerateOptions {
  const fallback = DEFAULT_GENERATE;
  return {
    maxTokens: integer(setting('generate.maxTokens'), fallback.maxTokens, 1, 2_048),
    keepPartial: oneOf(setting('generate.keepPartial'), KEEP_PARTIAL, fallback.keepPartial),
  };
}

export function readEngine(setting: Setting): EngineSettings {
  return {
    modelPath: path(setting('model.path')),
    context: integer(setting('model.context'), DEFAULT_CONTEXT, LEAST_CONTEXT, MOST_CONTEXT),
    kvCache: oneOf(setting('model.kvCache'), KV_CACHES, 'f16'),
    draftPath: path(setting('draft.model')),
    findsDraft: boolean(setting('draft.find'), true),
    threads: integer(setting('engine.threads'), 0, 0, 64),
    device: oneOf(setting('device'), DEVICES, 'auto'),
  };
}

export interface RemoteSettings {
  /** Empty: none is used. */
  readonly url: string;
  readonly protocol: ProtocolChoice;
  /** Empty: the server's first. */
  readonly model: string;
  readonly timeoutMs: number;
  /** Empty: the certificates that are trusted anyway. */
  readonly caFile: string;
  readonly fim: FimChoice;
}

export function readRemote(setting: Setting): RemoteSettings {
  return {
    url: path(setting('remote.url')),
    protocol: oneOf(setting('remote.protocol'), PROTOCOLS, 'auto'),
    model: path(setting('remote.model')),
    timeoutMs: integer(setting('remote.timeout'), 800, 100, 30_000),
    caFile: path(setting('remote.caFile')),
    fim: oneOf(setting('remote.fim'), FIM_CHOICES, 'auto'),
  };
}

export interface DownloadSettings {
  /** The hub's address, or one that has the same files. */
  readonly mirror: string;
}

export function readDownloads(setting: Setting): DownloadSettings {
  const mirror = path(setting('model.mirror'));
  return { mirror: mirror === '' ? HUB : mirror };
}
