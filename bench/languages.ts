/** The languages whose places are measured. */

interface LanguageSpec {
  /** As a person calls it. */
  readonly title: string;
  /** What file names end with. */
  readonly files: RegExp;
  /** How it writes comments: from a hash to the end of the line and docstrings, from a hash alone, as C does, or not at all. */
  readonly comments: 'python' | 'hash' | 'c' | 'none';
}

const SPECS = {
  py: { title: 'Python', files: /\.pyi?$/, comments: 'python' },
  js: { title: 'JavaScript and TypeScript', files: /\.[cm]?[jt]sx?$/, comments: 'c' },
  go: { title: 'Go', files: /\.go$/, comments: 'c' },
  rust: { title: 'Rust', files: /\.rs$/, comments: 'c' },
  java: { title: 'Java', files: /\.java$/, comments: 'c' },
  c: { title: 'C and C++', files: /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx)$/, comments: 'c' },
  md: { title: 'Markdown', files: /\.(?:md|markdown)$/, comments: 'none' },
  json: { title: 'JSON', files: /\.jsonc?$/, comments: 'c' },
  yaml: { title: 'YAML', files: /\.ya?ml$/, comments: 'hash' },
} as const satisfies Readonly<Record<string, LanguageSpec>>;

export type Language = keyof typeof SPECS;

export const LANGUAGES = Object.keys(SPECS) as readonly Language[];

/** For whoever chooses one. */
export const LANGUAGE_TITLES = LANGUAGES.map((name) => `${name}: ${SPECS[name].title}`).join(', ');

export function commentsOf(language: Language): LanguageSpec['comments'] {
  return SPECS[language].comments;
}

/** Undefined for a language that is not measured. */
export function languageOf(path: string): Language | undefined {
  return LANGUAGES.find((name) => SPECS[name].files.test(path));
}

/** Those of each language that occurs, by the files they are of, then all; nothing of none. */
export function byLanguage<T>(
  all: readonly T[],
  pathOf: (one: T) => string,
): (readonly [name: Language | 'all', some: readonly T[]])[] {
  return ([...LANGUAGES, 'all'] as const)
    .map((name) => [name, all.filter((one) => name === 'all' || languageOf(pathOf(one)) === name)] as const)
    .filter(([, some]) => some.length > 0);
}
