/**
 * Loads models so that none brings the editor down twice: a file that never ran here is tried in another process first, and one that was being
 * loaded when this process ended is not loaded again unless the user says so.
 */
import { basename } from 'node:path';
import type { LoadedResult } from '../engine_lifecycle';
import { type CheckModel, isEmbedded, type LoadModel } from '../model_loader';
import type { EngineSettings } from '../settings';
import type { NativeError, NativeResult } from '../../core/engine/native_result';
import { type LoadedFiles, type LoadRecord, stampOf } from '../../core/models/load_record';

/** Loads a model in another process, and lets it write. */
export type TryModel = (settings: EngineSettings, signal?: AbortSignal) => Promise<NativeResult<unknown>>;

export interface GuardedParts {
  readonly load: LoadModel;
  readonly check: CheckModel;
  readonly tryModel: TryModel;
  readonly record: LoadRecord;
}

/** Nothing that speaks against the model: two of them had no room beside each other, or there was no other process to try it in. */
const NO_VERDICT: ReadonlySet<NativeError['code']> = new Set(['MODEL_EXCEEDS_MEMORY', 'TRIAL_NOT_STARTED']);
/** What the editor is better off without at its start. */
const BROKE_DOWN: ReadonlySet<NativeError['code']> = new Set(['MODEL_CRASHED', 'MODEL_TOO_SLOW']);

const FINE = { ok: true, value: undefined } as const;

export class GuardedModels {
  private readonly parts: GuardedParts;
  /** Tried by `check` in this session, as they were then: they need not be tried again, by a load or a check that comes of it. */
  private readonly passed = new Set<string>();

  constructor(parts: GuardedParts) {
    this.parts = parts;
  }

  /** By its files' headers, then in another process if it neither ran nor was tried here before, or broke down. */
  readonly check: CheckModel = async (settings, freed, signal) => {
    const { check, record } = this.parts;
    const files = filesOf(settings);
    const checked = await check(settings, freed, signal);
    if (!checked.ok || isEmbedded(settings)) return checked;
    const key = await stampedKeyOf(files);
    const known = this.passed.has(key) || (await record.ran(files));
    if (known && !(await record.crashed(files))) return checked;
    const tried = await this.tried(settings, signal);
    if (!tried.ok) return tried;
    await record.forgive(files);
    this.passed.add(key);
    return tried;
  };

  readonly load: LoadModel = async (settings) => {
    const { load, check, record } = this.parts;
    const files = filesOf(settings);
    if (isEmbedded(settings)) {
      const result = await load(settings);
      if (result.ok) await record.note(files);
      return result;
    }
    if (!this.passed.has(await stampedKeyOf(files))) {
      if (await record.crashed(files)) return this.loadInstead(settings, crashedBefore(settings));
      if (!(await record.ran(files))) {
        const checked = await check(settings, 0);
        if (!checked.ok) return checked;
        const tried = await this.tried(settings);
        if (!tried.ok)
          return BROKE_DOWN.has(tried.error.code) ? this.loadInstead(settings, tried.error) : tried;
      }
    }
    return this.loadMarked(settings);
  };

  private async tried(settings: EngineSettings, signal?: AbortSignal): Promise<NativeResult<unknown>> {
    const tried = await this.parts.tryModel(settings, signal);
    return !tried.ok && NO_VERDICT.has(tried.error.code) ? FINE : tried;
  }

  /** Leaves a mark while it loads. */
  private async loadMarked(settings: EngineSettings): Promise<LoadedResult> {
    const { load, record } = this.parts;
    const files = filesOf(settings);
    await record.begin(files);
    const result = await load(settings);
    await record.end(files, result.ok);
    return result;
  }

  /** The last model that ran, else the embedded one. */
  private async loadInstead(settings: EngineSettings, error: NativeError): Promise<LoadedResult> {
    const { record } = this.parts;
    const refused = keyOf(filesOf(settings));
    for (const good of await record.lastGood()) {
      const another = { ...settings, ...good };
      if (isEmbedded(another)) break;
      if (keyOf(good) === refused || (await record.crashed(good))) continue;
      const result = await this.loadMarked(another);
      if (result.ok) return saying(result, error);
    }
    return saying(await this.load({ ...settings, modelPath: '', draftPath: '' }), error);
  }
}

function saying(result: LoadedResult, error: NativeError): LoadedResult {
  if (!result.ok) return result;
  const message = `${error.message} Until then ${result.value.info.name} completes.`;
  return { ...result, refused: { ...error, message } };
}

function crashedBefore({ modelPath }: EngineSettings): NativeError {
  const message = `The editor's extensions broke down while ${basename(modelPath)} was loaded, so it was left out this time; choose another model, or try it again.`;
  return { code: 'MODEL_CRASHED', message };
}

function filesOf({ modelPath, draftPath }: EngineSettings): LoadedFiles {
  return { modelPath, draftPath };
}

function keyOf({ modelPath, draftPath }: LoadedFiles): string {
  return JSON.stringify([modelPath, draftPath]);
}

async function stampedKeyOf(files: LoadedFiles): Promise<string> {
  return `${keyOf(files)} ${await stampOf(files)}`;
}
