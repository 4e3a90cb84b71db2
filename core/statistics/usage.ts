/** What came of suggestions, by language: counts alone, of so many languages at most. */
import { isCount, isList, isObject, isText, type Shape } from './shape';
import { type Fate, type FateCounter, FATES } from './suggestion_fates';

/** Of one language. What was shown and has no other end is still shown. */
export interface LanguageUsage extends Readonly<Record<Fate, number>> {
  /** VS Code's identifier of the language, or {@link OTHER_LANGUAGES}. */
  readonly language: string;
  /** Suggestions; what is left of one that is typed along is not another. */
  readonly shown: number;
  /** Inserted by accepting, less a key for each time. */
  readonly charactersSaved: number;
}

export interface Usage {
  /** Since when it is counted, as `Date` prints it in ISO 8601. */
  readonly since: string;
  readonly languages: readonly LanguageUsage[];
}

/** More languages are counted together. */
export const MOST_LANGUAGES = 32;
export const OTHER_LANGUAGES = 'other';
/** An identifier as extensions give them; what is none is not kept. */
const IDENTIFIER = /^[A-Za-z][\w.+#-]{0,39}$/;

type Counts = Record<Exclude<keyof LanguageUsage, 'language'>, number>;
const COUNTS: readonly (keyof Counts)[] = ['shown', ...FATES, 'charactersSaved'];

export class UsageTotals implements FateCounter {
  private readonly languages = new Map<string, Counts>();
  private start: Date;

  constructor(since = new Date()) {
    this.start = since;
  }

  get isEmpty(): boolean {
    return this.languages.size === 0;
  }

  shown(languageId: string): void {
    this.countsOf(languageId).shown++;
  }

  ended(languageId: string, fate: Fate): void {
    this.countsOf(languageId)[fate]++;
  }

  saved(languageId: string, characters: number): void {
    this.countsOf(languageId).charactersSaved += characters;
  }

  add({ since, languages }: Usage): void {
    const start = new Date(since);
    if (start < this.start) this.start = start;
    for (const one of languages) {
      const counts = this.countsOf(one.language);
      // Beyond this no sum is exact.
      for (const name of COUNTS) counts[name] = Math.min(Number.MAX_SAFE_INTEGER, counts[name] + one[name]);
    }
  }

  clear(since = new Date()): void {
    this.languages.clear();
    this.start = since;
  }

  /** Most shown first. */
  snapshot(): Usage {
    const languages = [...this.languages].map(([language, counts]) => ({ language, ...counts }));
    languages.sort((one, other) => other.shown - one.shown || (one.language < other.language ? -1 : 1));
    return { since: this.start.toISOString(), languages };
  }

  private countsOf(languageId: string): Counts {
    const known = this.languages.get(languageId);
    if (known !== undefined) return known;
    const full = this.languages.size >= MOST_LANGUAGES;
    if (languageId !== OTHER_LANGUAGES && (full || !IDENTIFIER.test(languageId)))
      return this.countsOf(OTHER_LANGUAGES);
    const counts = ofEach(0);
    this.languages.set(languageId, counts);
    return counts;
  }
}

/** The same for each count. */
function ofEach<T>(value: T): Record<keyof Counts, T> {
  return Object.fromEntries(COUNTS.map((name) => [name, value])) as Record<keyof Counts, T>;
}

/** A date as `Date.toISOString` gives it. */
const isDate: Shape<string> = (value): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value));

const isLanguage: Shape<string> = (value): value is string => isText(40)(value) && IDENTIFIER.test(value);

const isLanguageUsage = isObject<LanguageUsage>({ language: isLanguage, ...ofEach(isCount) });

export const isUsage = isObject<Usage>({
  since: isDate,
  // Those that are counted together are one more.
  languages: isList(isLanguageUsage, MOST_LANGUAGES + 1),
});
