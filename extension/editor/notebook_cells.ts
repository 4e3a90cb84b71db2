/** The notebook that a document is a cell of, and the cells around it. */
import * as vscode from 'vscode';
import type { Cell } from '../../core/completion/notebook';
import { textAfter, textBefore } from './text_around';

const CELL_SCHEME = 'vscode-notebook-cell';

/** Where a cell stands; its neighbours are nearest first. */
export interface CellPlace {
  readonly above: Iterable<Cell>;
  readonly below: Iterable<Cell>;
}

/** Undefined where the document is no cell of a notebook. */
export function cellPlace(document: vscode.TextDocument): CellPlace | undefined {
  const notebook = notebookOf(document);
  if (notebook === undefined) return undefined;
  const at = notebook.getCells().findIndex((cell) => cell.document === document);
  return { above: cellsFrom(notebook, at, -1), below: cellsFrom(notebook, at, 1) };
}

function notebookOf(document: vscode.TextDocument): vscode.NotebookDocument | undefined {
  const { scheme, path } = document.uri;
  if (scheme !== CELL_SCHEME) return undefined;
  return vscode.workspace.notebookDocuments.find(
    (notebook) =>
      notebook.uri.path === path && notebook.getCells().some((cell) => cell.document === document),
  );
}

function* cellsFrom(notebook: vscode.NotebookDocument, index: number, step: 1 | -1): Generator<Cell> {
  for (let at = index + step; at >= 0 && at < notebook.cellCount; at += step) {
    const { document, kind } = notebook.cellAt(at);
    yield {
      languageId: document.languageId,
      prose: kind === vscode.NotebookCellKind.Markup,
      end: (least) => textBefore(document, document.lineAt(document.lineCount - 1).range.end, least),
      start: (least) => textAfter(document, new vscode.Position(0, 0), least),
    };
  }
}
