/** What the editor tells of changes of a document, as the core has it. */
import type * as vscode from 'vscode';
import type { Replacement } from '../../core/completion/document';

export function replacementsOf({ contentChanges }: vscode.TextDocumentChangeEvent): Replacement[] {
  return contentChanges.map(({ rangeOffset, rangeLength, text }) => ({
    offset: rangeOffset,
    length: rangeLength,
    text,
  }));
}
