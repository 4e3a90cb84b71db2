/** The project that a case's file belongs to: the definitions behind what it imports. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Definition, importedDefinitions } from '../core/completion/imported_definitions';
import { languageOfPath } from '../core/completion/languages';
import type { CompletionCase } from './completion_case';

/** UTF-16 units of a file that are looked at, as the editor takes no more of them (extension/editor/project_reader.ts). */
const MOST_UNITS = 200_000;

export class ProjectFiles {
  private readonly folders: readonly string[];
  private readonly texts = new Map<string, Promise<string | undefined>>();

  /** @param folders In which the files of the cases lie. */
  constructor(folders: readonly string[]) {
    this.folders = folders;
  }

  /** By text, as the editor finds them where no language service answers. */
  definitionsOf({ path, prefix, suffix }: CompletionCase): Promise<readonly Definition[]> {
    if (this.folders.length === 0) return Promise.resolve([]);
    const languageId = languageOfPath(path);
    return importedDefinitions({ path, languageId, text: prefix + suffix }, (one) => this.read(one));
  }

  private read(path: string): Promise<string | undefined> {
    const text = this.texts.get(path) ?? this.readFrom(path);
    this.texts.set(path, text);
    return text;
  }

  private async readFrom(path: string): Promise<string | undefined> {
    for (const folder of this.folders) {
      const text = await readFile(join(folder, path), 'utf8').catch(() => undefined);
      if (text !== undefined) return text.slice(0, MOST_UNITS);
    }
    return undefined;
  }
}
