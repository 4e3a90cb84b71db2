/** What the extension says to its user, found in its sources: texts that go through vscode.l10n.t, and those that do not. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..', '..');

export interface Text {
  /** `extension/commands.ts:12`. */
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
    const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
    const at = (node: ts.Node): string =>
      `${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node)) {
        const [text, ...values] = node.arguments;
        if (isTranslation(node) && text !== undefined) {
          if (ts.isStringLiteralLike(text))
            translated.push({ place: at(node), text: text.text, given: values.length });
          else expressions.push({ place: at(node), text: text.getText() });
          for (const value of values) visit(value);
          return;
        }
        if (SHOWS.test(node.expression.getText())) for (const given of node.arguments) take(given);
      }
      if (ts.isPropertyAssignment(node) && SHOWN.has(node.name.getText())) take(node.initializer);
      if (
        ts.isBinaryExpression(node) &&
        ts.isPropertyAccessExpression(node.left) &&
        SHOWN.has(node.left.name.text)
      )
        take(node.right);
      ts.forEachChild(node, visit);
    };
    const take = (node: ts.Expression): void => {
      if (ts.isConditionalExpression(node)) {
        take(node.whenTrue);
        take(node.whenFalse);
      } else if (ts.isArrayLiteralExpression(node)) node.elements.forEach(take);
      else if (hasWords(literalOf(node)) && !ENGLISH.has(path))
        bare.push({ place: at(node), text: node.getText() });
    };
    visit(file);
  }
  return { translated, expressions, bare };
}

function isTranslation({ expression }: ts.CallExpression): boolean {
  return ['vscode.l10n.t', 't'].includes(expression.getText());
}

/** What stands in a text literally, without what is put into it. */
function literalOf(node: ts.Expression): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return '';
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(' ');
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
