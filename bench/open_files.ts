/** The other files that somebody who writes in one has looked at: the nearest of its package, copies of it left out. */
import { languageOfPath } from '../core/completion/languages';
import type { OtherText } from '../core/completion/references';
import { mostSimilar, readAlike } from '../core/completion/similar_windows';
import type { FindSnippets } from '../core/completion/snippets';
import { languageOf, LANGUAGES } from './languages';
import { Neighbours, type Place } from './neighbours';

/** As many as the extension remembers beside the one that is edited (extension/editor/recent_texts.ts). */
const MOST_FILES = 4;
/** As many pieces of them as it asks for. */
const MOST_SNIPPETS = 3;

/** What a suggestion takes from them. */
export interface OtherFiles {
  /** Nearest first. */
  readonly beside: readonly OtherText[];
  readonly snippets: FindSnippets;
}

export class OpenFiles {
  private readonly neighbours: ReadonlyMap<string | undefined, Neighbours>;

  /** @param folders In which the files lie. */
  constructor(folders: readonly string[]) {
    this.neighbours = new Map(LANGUAGES.map((language) => [language, new Neighbours(folders, language)]));
  }

  /** Throws Failure. */
  async besideOf(place: Place): Promise<OtherFiles> {
    const near = (await this.neighbours.get(languageOf(place.path))?.near(place, MOST_FILES)) ?? [];
    const windows = near.flatMap((file) => file.windows);
    return {
      beside: near.map(({ path, text }) => ({ text, languageId: languageOfPath(path) })),
      snippets: (document) =>
        mostSimilar(
          windows.filter(({ languageId }) => readAlike(languageId, document.languageId)),
          document,
          MOST_SNIPPETS,
        ),
    };
  }
}
