/** Where the module of an import may lie in a project: a guess from its name alone, for who has no language service to ask. */
import { isScript } from './imports';

const SCRIPT_ENDINGS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'];
/** TypeScript names what its files are compiled to. */
const COMPILED = /\.([mc]?)js(x?)$/;

/**
 * Paths of files, the likeliest first, with forward slashes and from where `path` begins; none above that, and none of packages that are installed.
 * @param module As the file of `path` writes it.
 */
export function pathsOfModule(module: string, path: string, languageId: string): readonly string[] {
  if (languageId === 'python') return pythonPaths(module, foldersOf(path));
  return isScript(languageId) && /^\.\.?(?:\/|$)/.test(module) ? scriptPaths(module, foldersOf(path)) : [];
}

function pythonPaths(module: string, folders: readonly string[]): string[] {
  const dots = /^\.*/.exec(module)?.[0].length ?? 0;
  const parts = module
    .slice(dots)
    .split('.')
    .filter((part) => part !== '');
  if (dots > 0) {
    if (dots > folders.length + 1) return [];
    return pythonFiles([...folders.slice(0, folders.length + 1 - dots), ...parts]);
  }
  if (parts.length === 0) return [];
  // The folder that packages lie in is one of those around the file, or the usual one.
  const roots = folders.map((_, at) => folders.slice(0, folders.length - at));
  return [...roots, [], ['src']].flatMap((root) => pythonFiles([...root, ...parts]));
}

function pythonFiles(parts: readonly string[]): string[] {
  const path = parts.join('/');
  const initial = path === '' ? '__init__.py' : `${path}/__init__.py`;
  return path === '' ? [initial] : [`${path}.py`, initial, `${path}.pyi`];
}

function scriptPaths(module: string, folders: readonly string[]): string[] {
  const parts = [...folders];
  for (const part of module.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return [];
    } else if (part !== '.' && part !== '') parts.push(part);
  }
  const path = parts.join('/');
  if (COMPILED.test(path)) return [path.replace(COMPILED, '.$1ts$2'), path];
  if (SCRIPT_ENDINGS.some((ending) => path.endsWith(ending))) return [path];
  const index = path === '' ? 'index' : `${path}/index`;
  return [path, index]
    .filter((one) => one !== '')
    .flatMap((one) => SCRIPT_ENDINGS.map((ending) => one + ending));
}

function foldersOf(path: string): string[] {
  return path.split('/').slice(0, -1);
}
