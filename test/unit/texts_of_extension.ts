/** What the extension says to its user, found in its sources: texts that go through vscode.l10n.t, and those that do not. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Node, parseSync, visitorKeys } from 'oxc-parser';

const ROOT = join(import.meta.dirname, '..', '..');

export interface Text {
  /** `extension/welcome.ts:12`. */
  readonly place: string;
  readonly text: string;
}

export interface Translated extends Text {
  /** How many values are given for its placeholders. */
  readonly given: number;
}

export interface Texts {
  /** Literal texts that are translated. */
  readonly translated: readonly Translated[];
  /** Expressions that are translated: sentences of closed sets in core. */
  readonly expressions: readonly Text[];
  /** Texts for the user that are not. */
  readonly bare: readonly Text[];
}

/** Functions whose texts the user reads, and properties of what is given to the editor. */
const SHOWS = /^vscode\.window\.show(Information|Warning|Error)Message$|^vscode\.window\.showQuickPick$/;
const SHOWN = new Set([
  'title',
  'placeHolder',
  'placeholder',
  'prompt',
  'label',
  'detail',
  'description',
  'tooltip',
  'openLabel',
  'message',
]);
const TRANSLATES = new Set(['vscode.l10n.t', 't']);
/** English on purpose: the log, and errors, as core has them. */
const ENGLISH = new Set([
  'extension/engine_lifecycle.ts',
  'extension/log.ts',
  'extension/models/guarded_models.ts',
]);

/** @param sources By their paths. */
export function textsOf(sources: ReadonlyMap<string, string>): Texts {
  const translated: Translated[] = [];
  const expressions: Text[] = [];
  const bare: Text[] = [];
  for (const [path, source] of sources) {
    const written = ({ start, end }: Node): string => source.slice(start, end);
    const at = ({ start }: Node): string => `${path}:${source.slice(0, start).split('\n').length}`;
    const visit = (node: Node): void => {
      if (node.type === 'CallExpression') {
        const callee = written(node.callee);
        const [text, ...values] = node.arguments;
        if (TRANSLATES.has(callee) && text !== undefined) {
          const [literal, ...others] = literalParts(text);
          if (literal !== undefined && others.length === 0)
            translated.push({ place: at(node), text: literal, given: values.length });
          else expressions.push({ place: at(node), text: written(text) });
          values.forEach(visit);
          return;
        }
        if (SHOWS.test(callee)) node.arguments.forEach(take);
      }
      if (node.type === 'ObjectExpression') {
        for (const one of node.properties) {
          if (one.type !== 'Property' || one.shorthand || one.computed) continue;
          if (SHOWN.has(written(one.key))) take(one.value);
        }
      }
      if (
        (node.type === 'AssignmentExpression' ||
          node.type === 'BinaryExpression' ||
          node.type === 'LogicalExpression') &&
        node.left.type === 'MemberExpression' &&
        !node.left.computed &&
        SHOWN.has(written(node.left.property))
      )
        take(node.right);
      childrenOf(node).forEach(visit);
    };
    const take = (node: Node): void => {
      if (node.type === 'ConditionalExpression') {
        take(node.consequent);
        take(node.alternate);
      } else if (node.type === 'ArrayExpression') {
        for (const element of node.elements) if (element !== null) take(element);
      } else if (hasWords(literalParts(node).join(' ')) && !ENGLISH.has(path)) {
        bare.push({ place: at(node), text: written(node) });
      }
    };
    const { program, errors } = parseSync(path, source);
    if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join(', ')}`);
    visit(program);
  }
  return { translated, expressions, bare };
}

function childrenOf(node: Node): readonly Node[] {
  const fields = node as unknown as Readonly<Record<string, Node | readonly (Node | null)[] | null>>;
  const keys = visitorKeys[node.type] ?? [];
  return keys.flatMap((key) => fields[key] ?? []).filter((child) => child !== null);
}

/** What stands in a text literally, around what is put into it; nothing where the node is no text. */
function literalParts(node: Node): readonly string[] {
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? value.raw);
  return node.type === 'Literal' && typeof node.value === 'string' ? [node.value] : [];
}

/** Names and icons are the same in every language. */
function hasWords(text: string): boolean {
  return /\p{L}{2,}/u.test(text.replaceAll(/\$\([\w~-]*\)?|\bEmberline\b/g, ''));
}

export function extensionSources(): ReadonlyMap<string, string> {
  const folder = join(ROOT, 'extension');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    // A page of figures, in English.
    .filter((file) => !file.startsWith(join(folder, 'dashboard', 'page')));
  return new Map(
    files.map((file) => [relative(ROOT, file).replaceAll('\\', '/'), readFileSync(file, 'utf8')]),
  );
}
