/** Patterns of paths, as settings have them. */

/** Longer patterns are ignored: nobody writes one; the limit of package.json. */
const MAX_PATTERN = 500;
/** Most patterns that the choices of one pattern make. */
const MAX_CHOICES = 64;

/**
 * True when `path` (forward slashes) matches one of the patterns: `*` and `?` stay within a name, `**` in place of a name crosses
 * folders, `{a,b}` is a choice. A pattern without a slash is compared with the file's name alone. Case does not matter.
 *
 * Patterns may come from a workspace, so none may be slow: the time is at most proportional to the length of the path times that
 * of the pattern with its choices written out.
 */
export function matchesAny(path: string, patterns: readonly string[]): boolean {
  const names = path.toLowerCase().split('/');
  const name = names.slice(-1);
  return alternativesOf(patterns).some((pattern) => matchesPath(pattern.length > 1 ? names : name, pattern));
}

/** Patterns without choices, as the names they consist of. */
type Alternatives = readonly (readonly string[])[];

/** The settings give the same list until they change. */
const remembered = new WeakMap<readonly string[], Alternatives>();

function alternativesOf(patterns: readonly string[]): Alternatives {
  let alternatives = remembered.get(patterns);
  if (alternatives === undefined) {
    alternatives = patterns
      .filter((pattern) => pattern.length <= MAX_PATTERN)
      .flatMap((pattern) => withoutChoices(pattern.toLowerCase()))
      .map((pattern) => pattern.split('/'));
    remembered.set(patterns, alternatives);
  }
  return alternatives;
}

/**
 * Writes the choices out. Where that would make too many patterns, a choice stands for any text instead: leaving a
 * file too many alone is the safe side.
 */
function withoutChoices(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const choice = firstChoice(next);
    if (choice === undefined) {
      done.push(next);
      continue;
    }
    const fits = done.length + open.length + choice.options.length <= MAX_CHOICES;
    for (const option of fits ? choice.options : ['*']) open.push(choice.head + option + choice.tail);
  }
  return done;
}

interface Choice {
  readonly head: string;
  readonly options: readonly string[];
  readonly tail: string;
}

/** The choice whose `}` comes first; none is within it. */
function firstChoice(pattern: string): Choice | undefined {
  const starts: number[] = [];
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === '{') starts.push(at);
    if (pattern[at] !== '}') continue;
    const start = starts.pop();
    if (start === undefined) continue;
    const options = pattern.slice(start + 1, at).split(',');
    return { head: pattern.slice(0, start), options, tail: pattern.slice(at + 1) };
  }
  return undefined;
}

function matchesPath(names: readonly string[], pattern: readonly string[]): boolean {
  return matchesSequence(names, pattern, '**', matchesName);
}

function matchesName(name: string, pattern: string): boolean {
  return matchesSequence(name, pattern, '*', (unit, wanted) => wanted === '?' || unit === wanted);
}

interface Sequence<T> {
  readonly length: number;
  readonly [index: number]: T;
}

/**
 * Wildcard matching without recursion: after a mismatch only the last `wildcard` takes one item more, since whatever an earlier
 * one could take, the last one can as well.
 */
function matchesSequence(
  items: Sequence<string>,
  pattern: Sequence<string>,
  wildcard: string,
  same: (item: string, wanted: string) => boolean,
): boolean {
  let at = 0;
  let want = 0;
  let retryAt = 0;
  let retryWant = -1;
  while (at < items.length) {
    const wanted = pattern[want];
    if (wanted === wildcard) {
      retryAt = at;
      retryWant = ++want;
    } else if (wanted !== undefined && same(items[at] ?? '', wanted)) {
      at++;
      want++;
    } else if (retryWant >= 0) {
      at = ++retryAt;
      want = retryWant;
    } else {
      return false;
    }
  }
  while (pattern[want] === wildcard) want++;
  return want === pattern.length;
}
