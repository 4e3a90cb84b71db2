/**
 * Text around a place in a document, read by lines from there outwards: copying the whole text would cost as much as the file is long.
 */
import * as vscode from 'vscode';

/** Text before `end`, line breaks as `\n`: `least` UTF-16 units or more, or all. */
export function textBefore(document: vscode.TextDocument, end: vscode.Position, least: number): string {
  const first = Math.max(0, end.character - least);
  const lines = [document.getText(new vscode.Range(end.line, first, end.line, end.character))];
  let length = end.character - first;
  for (let line = end.line - 1; line >= 0 && length < least; line--) {
    const text = document.lineAt(line).text.slice(-least);
    lines.push(text);
    length += text.length + 1;
  }
  return lines.reverse().join('\n');
}

/** The same of the text after `start`. */
export function textAfter(document: vscode.TextDocument, start: vscode.Position, least: number): string {
  const end = start.character + least;
  const lines = [document.getText(new vscode.Range(start.line, start.character, start.line, end))];
  let length = lines[0]?.length ?? 0;
  for (let line = start.line + 1; line < document.lineCount && length < least; line++) {
    const text = document.lineAt(line).text.slice(0, least);
    lines.push(text);
    length += text.length + 1;
  }
  return lines.join('\n');
}

/** The place `units` UTF-16 units before another, or the document's start. A line break counts as one, whatever it is. */
export function placeBefore(
  document: vscode.TextDocument,
  place: vscode.Position,
  units: number,
): vscode.Position {
  let { line, character } = place;
  for (let left = units; ; left -= character + 1, line--, character = lengthOf(document, line)) {
    if (left <= character) return new vscode.Position(line, character - left);
    if (line === 0) return new vscode.Position(0, 0);
  }
}

/** The place `units` UTF-16 units after another, or the document's end; counted like that. */
export function placeAfter(
  document: vscode.TextDocument,
  place: vscode.Position,
  units: number,
): vscode.Position {
  let { line, character } = place;
  for (let left = units; ; line++, character = 0) {
    const rest = lengthOf(document, line) - character;
    if (left <= rest || line + 1 >= document.lineCount)
      return new vscode.Position(line, character + Math.min(left, rest));
    left -= rest + 1;
  }
}

function lengthOf(document: vscode.TextDocument, line: number): number {
  return document.lineAt(line).text.length;
}
