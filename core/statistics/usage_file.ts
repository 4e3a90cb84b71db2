/**
 * What is kept of the use of suggestions from session to session: a file of counts, a few kB at most. Every window adds to it what it has counted
 * since it did so last. One that is damaged is started anew.
 */
import { rm } from 'node:fs/promises';
import { readSmallJson, writeSmallJson } from '../models/small_file';
import { isUsage, type Usage, UsageTotals } from './usage';

const VERSION = 1;

export class UsageFile {
  private readonly path: string;
  /** What is done with it is done in turn. */
  private last: Promise<unknown> = Promise.resolve();

  /** @param path Its folder is made when something is to be written. */
  constructor(path: string) {
    this.path = path;
  }

  /** Undefined where there is none, or none that can be read. Never rejects. */
  read(): Promise<Usage | undefined> {
    return this.inTurn(() => this.load());
  }

  /**
   * Adds to what it has. Never rejects.
   * @returns All of it; undefined where it could not be written.
   */
  add(usage: Usage): Promise<Usage | undefined> {
    return this.inTurn(async () => {
      const totals = new UsageTotals(new Date(usage.since));
      const before = await this.load();
      if (before !== undefined) totals.add(before);
      totals.add(usage);
      const sum = totals.snapshot();
      return (await writeSmallJson(this.path, { version: VERSION, ...sum })) ? sum : undefined;
    });
  }

  /** Forgets all of it. Never rejects. */
  async clear(): Promise<void> {
    await this.inTurn(() => rm(this.path, { force: true }).catch(() => undefined));
  }

  private async load(): Promise<Usage | undefined> {
    const { version, ...usage } = await readSmallJson(this.path);
    return version === VERSION && isUsage(usage) ? usage : undefined;
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.last.then(work);
    this.last = turn;
    return turn;
  }
}
