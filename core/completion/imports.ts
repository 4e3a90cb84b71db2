/** What a file imports, read off its text: of Python, JavaScript and TypeScript whence, of other languages the names alone. */

/** A name that is taken from a module. */
export interface ImportedName {
  /** There; `default` for what a module of JavaScript stands for. */
  readonly name: string;
  /** Here. */
  readonly local: string;
}

export interface Import {
  /** As it is written: `.models`, `./order.js`. */
  readonly module: string;
  readonly names: readonly ImportedName[];
  /** What the whole module is called here, where it has a name: `models`, `a.b`. */
  readonly namespace?: string;
}

/** Imports behind this many UTF-16 units are not looked for: they stand at the front of a file. */
const MOST_UNITS = 20_000;

// Blanks between words are counted: any number of them, in several places, could be divided up in ever more ways.
const FROM = /^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|(?:[^\n\\]|\\\n)*)/gm;
const IMPORT = /^[ \t]*import[ \t]+([\w.][^\n#;]*)/gm;
const ES_IMPORT =
  /^[ \t]*(?:import|export)\s{1,9}(?:type\s{1,9})?(?:([\w$]+)\s{0,9},?\s{0,9})?(?:\{([^}]*)\}|\*\s{0,9}as\s{1,9}([\w$]+))?\s{0,9}from\s{0,9}['"]([^'"\n]+)['"]/gm;
const REQUIRE =
  /^[ \t]*(?:const|let|var)\s{1,9}(?:\{([^}]*)\}|([\w$]+))\s{0,9}=\s{0,9}require\(\s{0,9}['"]([^'"\n]+)['"]\s{0,9}\)/gm;
const AS = /\s{1,9}as\s{1,9}/;
const COLON = /\s{0,9}:\s{0,9}/;

/** A line of Java, Kotlin, Rust, C#, Scala, Swift and others. */
const ANY_IMPORT = /^[ \t]*(?:pub[ \t]+)?(?:import|use|using|open)[ \t]+(?!["'<(])[^\n=]*/gm;
const LAST_PART = /(?<=[.:{,\s])[A-Za-z_]\w*(?=\s*(?:[;,}]|$))/gm;

/** In the order of the text; none in other languages. */
export function importsOf(text: string, languageId: string): readonly Import[] {
  const front = text.slice(0, MOST_UNITS);
  if (languageId === 'python') return pythonImports(front);
  return isScript(languageId) ? scriptImports(front) : [];
}

/** What the text calls what it imports, in any language: of one that is not read further the last parts of what its imports name. */
export function importedNames(text: string, languageId: string): readonly string[] {
  const imports = importsOf(text, languageId);
  if (languageId === 'python' || isScript(languageId)) {
    const names = imports.flatMap(({ names: taken, namespace }) => [
      ...taken.map(({ local }) => local),
      ...(namespace === undefined ? [] : [namespace]),
    ]);
    return [...new Set(names)];
  }
  const lines = text.slice(0, MOST_UNITS).match(ANY_IMPORT) ?? [];
  return [...new Set(lines.flatMap((line) => line.match(LAST_PART) ?? []))];
}

/** Whether a language is JavaScript, TypeScript or a dialect of theirs. */
export function isScript(languageId: string): boolean {
  return /^(?:java|type)script(?:react)?$/.test(languageId);
}

function pythonImports(text: string): Import[] {
  const from = Array.from(text.matchAll(FROM), ([, module = '', list = '']): Import => {
    return { module, names: namesIn(list.replace(/#[^\n]*|[()\\]/g, ''), AS) };
  });
  const whole = Array.from(text.matchAll(IMPORT)).flatMap(([, list = '']) =>
    namesIn(list, AS).map(({ name, local }) => ({ module: name, names: [], namespace: local })),
  );
  return [...from, ...whole];
}

function scriptImports(text: string): Import[] {
  const imports = Array.from(text.matchAll(ES_IMPORT), ([, whole, list = '', namespace, module = '']) =>
    scriptImport(module, whole, namesIn(list, AS), namespace),
  );
  const required = Array.from(text.matchAll(REQUIRE), ([, list = '', whole, module = '']) =>
    scriptImport(module, whole, namesIn(list, COLON), whole),
  );
  return [...imports, ...required];
}

/** @param whole What the module stands for is called here. */
function scriptImport(
  module: string,
  whole: string | undefined,
  list: readonly ImportedName[],
  namespace: string | undefined,
): Import {
  const names = whole === undefined ? list : [{ name: 'default', local: whole }, ...list];
  return { module, names, ...(namespace !== undefined && { namespace }) };
}

/** Of `a, b as c`. */
function namesIn(list: string, as: RegExp): ImportedName[] {
  return list
    .split(',')
    .map((one) => one.trim().replace(/^type\s+/, ''))
    .filter((one) => /^[\w$.]/.test(one))
    .map((one) => {
      const [name = one, local = name] = one.split(as);
      return { name, local };
    });
}
