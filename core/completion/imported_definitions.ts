/**
 * What the names that a file imports are: the definitions behind them, found by text in the files of the same project. For what this does not
 * find the editor asks language services (extension/editor/definitions.ts).
 */
import { definitionIn } from './definition_text';
import type { DocumentSnapshot } from './document';
import { pathsOfModule } from './import_paths';
import { type Import, type ImportedName, importsOf } from './imports';
import { languageOfPath } from './languages';
import type { Snippet } from './snippets';

/** The text of a file of the project, by its path from where the document's begins; undefined where there is none that may be read. */
export type ReadProjectFile = (path: string) => Promise<string | undefined>;

export interface Definition extends Snippet {
  readonly kind: 'definition';
  /** What the document calls it. */
  readonly name: string;
}

/** Imports and names of a file that are followed, found or not. */
const MOST_IMPORTS = 32;
const MOST_NAMES = 64;
/** From a module to one that it takes the name from itself. */
const MOST_STEPS = 2;
/** Lines on each side of the cursor in which a name counts as used there. */
const AROUND_LINES = 24;
const WORD = /[\w$]+/g;

/** Files are read once each, however many names come from them. Never rejects where `read` does not. */
export async function importedDefinitions(
  { path, languageId, text }: Pick<Snippet, 'path' | 'languageId' | 'text'>,
  read: ReadProjectFile,
): Promise<readonly Definition[]> {
  const known = new Map<string, Promise<string | undefined>>();
  const readOnce: ReadProjectFile = (one) => {
    const content = known.get(one) ?? read(one);
    known.set(one, content);
    return content;
  };
  const definitions: Definition[] = [];
  for (const { name, local, module } of followedNames(text, languageId)) {
    const found = await follow({ module, name, path, languageId }, readOnce, MOST_STEPS);
    if (found !== undefined) definitions.push({ ...found, name: local });
  }
  return definitions;
}

/** A name with the module that it comes from. */
export type FollowedName = ImportedName & { readonly module: string };

/** What importedDefinitions looks for: where this is the same, so is what it finds in the same files. */
export function followedNames(text: string, languageId: string): readonly FollowedName[] {
  return importsOf(text, languageId)
    .slice(0, MOST_IMPORTS)
    .flatMap((one) => namesOf(one, text))
    .slice(0, MOST_NAMES);
}

/** Those used near the cursor first, the nearest of them first; then those not used yet, which somebody imported to use. */
export function mostUseful(
  definitions: readonly Definition[],
  { before, after }: Pick<DocumentSnapshot, 'before' | 'after'>,
): readonly Definition[] {
  if (definitions.length === 0) return [];
  const distances = new Map<string, number>();
  const note = (line: string, distance: number): void => {
    for (const [word] of line.matchAll(WORD))
      distances.set(word, Math.min(distance, distances.get(word) ?? Infinity));
  };
  for (const [at, line] of before.split('\n').slice(-AROUND_LINES).reverse().entries()) note(line, at);
  for (const [at, line] of after.split('\n').slice(0, AROUND_LINES).entries()) note(line, at);
  const seen = new Set<string>();
  const used = new Set<string>();
  for (const [word] of `${before}\n${after}`.matchAll(WORD)) (seen.has(word) ? used : seen).add(word);
  const distanceOf = ({ name }: Definition): number =>
    distances.get(name) ?? (used.has(name) ? Infinity : AROUND_LINES);
  return definitions
    .map((definition) => ({ definition, distance: distanceOf(definition) }))
    .filter(({ distance }) => distance < Infinity)
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ definition }) => definition);
}

interface Wanted {
  readonly module: string;
  readonly name: string;
  /** Of the file that imports it. */
  readonly path: string;
  readonly languageId: string;
}

async function follow(
  { module, name, path, languageId }: Wanted,
  read: ReadProjectFile,
  steps: number,
): Promise<Omit<Definition, 'name'> | undefined> {
  for (const candidate of pathsOfModule(module, path, languageId)) {
    if (candidate === path) continue;
    const content = await read(candidate);
    if (content === undefined) continue;
    const text = definitionIn(content, name, languageId);
    if (text !== undefined) {
      return { kind: 'definition', path: candidate, languageId: languageOfPath(candidate), text };
    }
    if (steps === 0) return undefined;
    // A package's front file mostly passes on what others define.
    for (const one of importsOf(content, languageId)) {
      const passed = one.names.find(({ local }) => local === name);
      if (passed === undefined) continue;
      return follow({ module: one.module, name: passed.name, path: candidate, languageId }, read, steps - 1);
    }
    return undefined;
  }
  return undefined;
}

/** What is taken by name, and of whole modules what is used of them in the text. */
function namesOf(one: Import, text: string): readonly FollowedName[] {
  const { module, names, namespace } = one;
  const taken = names.map((name) => ({ ...name, module }));
  const modules = [
    ...(namespace === undefined ? [] : [{ module, local: namespace }]),
    // `from . import models`: what is taken may be a module itself.
    ...(/^\.+$/.test(module) ? names.map(({ name, local }) => ({ module: module + name, local })) : []),
  ];
  const used = modules.flatMap((whole) =>
    attributesOf(whole.local, text).map((name) => ({ module: whole.module, name, local: name })),
  );
  return [...taken, ...used];
}

function attributesOf(local: string, text: string): readonly string[] {
  const uses = text.matchAll(new RegExp(`${wordOf(local).source}\\s*\\.\\s*([A-Za-z_$][\\w$]*)`, 'g'));
  return [...new Set(Array.from(uses, ([, name = '']) => name))];
}

function wordOf(name: string): RegExp {
  return new RegExp(`(?<![\\w$])${name.replace(/[^\w]/g, '\\$&')}(?![\\w$])`);
}
