/** Models that can be downloaded: taught to fill in the middle, free to use, and run by this engine. Nothing here is fetched before a user asks. */
import entries from './catalogue.json';

export interface CatalogueModel {
  readonly id: string;
  readonly name: string;
  /** On the hub: `organisation/name`. */
  readonly repository: string;
  /** A commit, or a branch whose commit is asked for. */
  readonly revision: string;
  readonly file: string;
  readonly quantization: string;
  readonly licence: string;
  readonly note: string;
  /** Length and SHA-256 of the file, where they are known beforehand; else the hub is asked. */
  readonly bytes?: number;
  readonly sha256?: string;
}

export const CATALOGUE: readonly CatalogueModel[] = entries;

/** Where models are published, if the setting names no mirror. */
export const HUB = 'https://huggingface.co';
