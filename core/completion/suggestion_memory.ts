/** What the model said of places: suggestions, what forks off them, and where nothing came though it could have. */
import { type CachedGeneration, type CacheHit, CompletionCache } from './cache';
import type { DocumentSnapshot } from './document';

export class SuggestionMemory {
  private readonly suggestions = new CompletionCache();
  private readonly forks = new CompletionCache();
  private readonly ends = new CompletionCache();

  /** What was said first; and, once some of it is typed, what forks off it. */
  find({ uri, before, after }: DocumentSnapshot): CacheHit | undefined {
    const first = this.suggestions.find(uri, before, after);
    if (first !== undefined) return first;
    const forked = this.forks.find(uri, before, after);
    return forked?.rest === forked?.generation.text ? undefined : forked;
  }

  /** What ended a text here before anything came. */
  endAt({ uri, before, after }: DocumentSnapshot): CachedGeneration | undefined {
    return this.ends.find(uri, before, after)?.generation;
  }

  /** @param ended Nothing came. */
  add({ uri, before, after }: DocumentSnapshot, generation: CachedGeneration, ended: boolean): void {
    (ended ? this.ends : this.suggestions).add(uri, before, after, generation);
  }

  addFork({ uri, before, after }: DocumentSnapshot, generation: CachedGeneration): void {
    this.forks.add(uri, before, after, generation);
  }

  /** Drops what is remembered of a closed document. */
  forget(uri: string): void {
    for (const cache of [this.suggestions, this.forks, this.ends]) cache.forget(uri);
  }

  clear(): void {
    for (const cache of [this.suggestions, this.forks, this.ends]) cache.clear();
  }
}
