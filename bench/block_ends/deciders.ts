/**
 * Where the lines that a model writes stop belonging to the block they began in: as the editor decides it, by indentation and brackets, and by a
 * syntax tree of the whole file. Both read the same lines.
 */
import type { Parser } from '../parsers';
import { BlockLines } from '../../core/completion/block_lines';
import type { DocumentSnapshot } from '../../core/completion/document';

type Tree = ReturnType<Parser['parse']>;
type Node = ReturnType<Tree['resolveInner']>;

/** Nodes that end a body, and belong to it in the tree. */
const CLOSES = new Set(['}', ')', ']']);

/** The lines up to the first blank one: where the model leaves a line blank, both deciders end. */
export function linesOfText(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const blank = lines.findIndex((line, index) => index > 0 && line === '');
  return blank < 0 ? lines : lines.slice(0, blank);
}

/** By indentation and brackets. */
export function endByLines(document: DocumentSnapshot, lines: readonly string[]): string {
  const [first = '', ...others] = lines;
  const block = new BlockLines(document, first);
  for (const line of others) if (!block.add(line)) break;
  return block.text;
}

/**
 * By the syntax tree: as long as each line begins in the body in which the cursor stands, up to the last one behind which what was
 * written is whole: without an error that was not there before, and with nothing in it that reaches into the text below.
 */
export function endByTree(
  { before, after }: Pick<DocumentSnapshot, 'before' | 'after'>,
  lines: readonly string[],
  parser: Parser,
): string {
  const lineBelow = after.split('\n').find((line, index) => index > 0 && line.trim() !== '');
  const errorsBelow = errorsBehind(parser.parse(before + after), before.length);
  let body: Node | undefined;
  let text = '';
  let whole = lines[0] ?? '';
  for (const [index, line] of lines.entries()) {
    if (index > 0 && line === lineBelow?.trimEnd()) break;
    text += index === 0 ? line : `\n${line}`;
    const end = before.length + text.length;
    const start = end - line.trimStart().length;
    const tree = parser.parse(before + text + after);
    const here = bodyAt(tree.resolveInner(start, 1), before.length);
    body ??= here;
    if (here.name !== body.name || here.from !== body.from || isClosed(here, before.length, end)) break;
    if (reachesBelow(tree.resolveInner(end, -1), before.length, end)) continue;
    if (isBroken(tree, before.length, end) || errorsBehind(tree, end) > errorsBelow) continue;
    whole = text;
  }
  return whole;
}

/** The innermost node around `node` that began before the cursor. */
function bodyAt(node: Node, cursor: number): Node {
  let around = node;
  while (around.from >= cursor && around.parent !== null) around = around.parent;
  return around;
}

/** Whether a bracket that stands in the new text closes the body. */
function isClosed({ lastChild, from }: Node, cursor: number, end: number): boolean {
  if (lastChild === null || from >= cursor || !CLOSES.has(lastChild.name)) return false;
  return lastChild.from >= cursor && lastChild.from < end;
}

/** Whether a node that began in the new text goes on behind its end. */
function reachesBelow(node: Node, cursor: number, end: number): boolean {
  for (let around: Node | null = node; around !== null && around.from >= cursor; around = around.parent) {
    if (around.to > end) return true;
  }
  return false;
}

/** Whether there is an error in what began in the new text. */
function isBroken(tree: Tree, cursor: number, end: number): boolean {
  let broken = false;
  tree.iterate({
    from: cursor,
    to: end,
    enter({ type, node }) {
      if (type.isError && (node.parent?.from ?? 0) >= cursor) broken = true;
    },
  });
  return broken;
}

/** How many errors begin behind `at`. */
function errorsBehind(tree: Tree, at: number): number {
  let count = 0;
  tree.iterate({
    from: at,
    enter({ type, from }) {
      if (type.isError && from > at) count++;
    },
  });
  return count;
}
