/**
 * What is remembered of models from start to start, in files: which ones ran, and which one was being loaded when its process ended without a
 * word. Several windows share the folder; each has a mark of its own.
 */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { listOf, objectOf } from '../http/json_values';
import { isAlive } from './process_alive';
import { readSmallJson, writeSmallJson } from './small_file';

/** Paths; the draft's is empty where there is none. */
export interface LoadedFiles {
  readonly modelPath: string;
  readonly draftPath: string;
}

interface KnownModel extends LoadedFiles {
  /** Of both files, for a file that was replaced is another. */
  readonly stamp: string;
}

/** A model loads in less; a mark that is older is of a process whose id another one has by now, ms. */
const LONGEST_LOAD_MS = 3_600_000;
/** Models that ran, the last first. */
const MOST_KNOWN = 16;
const KNOWN = 'known.json';
const MARK = /^loading-(\d+)-[0-9a-f]+\.json$/;

export class LoadRecord {
  private readonly folder: string;
  private readonly alive: (processId: number) => boolean;
  private readonly upMs: () => number;
  /** Loads of this process under way. */
  private underWay = 0;
  /** Of a name that no process had before: ids of processes come back. */
  private readonly mark = `loading-${process.pid}-${randomBytes(4).toString('hex')}.json`;

  /**
   * @param folder Made when something is to be written.
   * @param alive Whether there is such a process.
   * @param upMs Since the machine started, ms: the same for all processes, whatever is done to the time of day.
   */
  constructor(folder: string, alive = isAlive, upMs = () => 1_000 * uptime()) {
    this.folder = folder;
    this.alive = alive;
    this.upMs = upMs;
  }

  /** Whether these files, as they are now, ran before and did not bring down a process since. */
  async ran(files: LoadedFiles): Promise<boolean> {
    const stamp = await stampOf(files);
    const known = await this.known();
    return known.some((one) => sameFiles(one, files) && one.stamp === stamp);
  }

  /** The models that ran, the last first, as far as their files are still the same. */
  async lastGood(): Promise<readonly LoadedFiles[]> {
    const good: LoadedFiles[] = [];
    for (const one of await this.known()) {
      if ((await stampOf(one)) === one.stamp) good.push(one);
    }
    return good;
  }

  /** Says that a load begins. Whoever reads a mark of a process that is gone knows what it died of. */
  async begin(files: LoadedFiles): Promise<void> {
    this.underWay++;
    await this.write(this.mark, { ...files, stamp: await stampOf(files), upMs: this.upMs() });
  }

  /** Says that it is over. @param good Whether the model runs. */
  async end(files: LoadedFiles, good: boolean): Promise<void> {
    this.underWay--;
    if (this.underWay === 0) await this.remove(this.mark);
    if (good) await this.note(files);
  }

  /** Says that a model runs. */
  async note(files: LoadedFiles): Promise<void> {
    await this.forgive(files);
    const model: KnownModel = { ...files, stamp: await stampOf(files) };
    const known = await this.known();
    const [last] = known;
    if (last !== undefined && sameFiles(last, files) && last.stamp === model.stamp) return;
    const others = known.filter((one) => !sameFiles(one, files));
    await this.write(KNOWN, { models: [model, ...others].slice(0, MOST_KNOWN) });
  }

  /** The same, in a process that is asked to end: what is loaded then did not fail. */
  leave(): void {
    try {
      rmSync(join(this.folder, this.mark), { force: true });
    } catch {
      // On a disk that became read-only the mark stays: the model is tried in a process of its own next time.
    }
  }

  /** Whether a process ended while it loaded these files, as they are now. */
  async crashed(files: LoadedFiles): Promise<boolean> {
    const stamp = await stampOf(files);
    const marks = await this.marksOfTheDead();
    return marks.some((mark) => sameFiles(mark, files) && mark.stamp === stamp);
  }

  /** Forgets that: somebody wants to try again. */
  async forgive(files: LoadedFiles): Promise<void> {
    for (const mark of await this.marksOfTheDead()) {
      if (sameFiles(mark, files)) await this.remove(mark.name);
    }
  }

  private async remove(name: string): Promise<void> {
    await rm(join(this.folder, name), { force: true }).catch(() => undefined);
  }

  private async known(): Promise<readonly KnownModel[]> {
    const { models } = await readSmallJson(join(this.folder, KNOWN));
    return listOf(models).filter(isKnown);
  }

  private async marksOfTheDead(): Promise<readonly (KnownModel & { readonly name: string })[]> {
    const names = await readdir(this.folder).catch(() => []);
    const marks: (KnownModel & { readonly name: string })[] = [];
    for (const name of names) {
      const processId = Number(MARK.exec(name)?.[1] ?? 0);
      if (processId === 0 || name === this.mark) continue;
      const mark = await readSmallJson(join(this.folder, name));
      const { upMs } = mark;
      const age = typeof upMs === 'number' ? this.upMs() - upMs : Infinity;
      // Below 0: the machine was started since.
      const old = age < 0 || age > LONGEST_LOAD_MS;
      const gone = old || processId === process.pid || !this.alive(processId);
      if (gone && isKnown(mark)) marks.push({ ...mark, name });
    }
    return marks;
  }

  private async write(name: string, content: object): Promise<void> {
    // Where it cannot be written nothing is remembered; the model runs all the same.
    await writeSmallJson(join(this.folder, name), content);
  }
}

function isKnown(value: unknown): value is KnownModel {
  const { modelPath, draftPath, stamp } = objectOf(value);
  return [modelPath, draftPath, stamp].every((field) => typeof field === 'string');
}

const sameFiles = (one: LoadedFiles, other: LoadedFiles): boolean =>
  one.modelPath === other.modelPath && one.draftPath === other.draftPath;

/** Sizes and times of change; of a folder those of the folder. */
export async function stampOf({ modelPath, draftPath }: LoadedFiles): Promise<string> {
  const stamps: string[] = [];
  for (const path of [modelPath, draftPath].filter((one) => one !== '')) {
    const file = await stat(path).catch(() => undefined);
    stamps.push(file === undefined ? 'missing' : `${file.size} ${file.mtimeMs}`);
  }
  return stamps.join(', ');
}
