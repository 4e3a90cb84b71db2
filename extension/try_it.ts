/** A scratch file in which a suggestion is certain, so that whoever is new here sees one, and what to do with it. */
import * as vscode from 'vscode';
import { SCRATCH_COMMENTS, scratchLanguage, scratchText } from '../core/scratch/scratch_text';

/** The key of VS Code itself that takes a word, where nobody changed it. */
export const WORD_KEY = process.platform === 'darwin' ? 'Cmd+Right' : 'Ctrl+Right';

/** Opens the file in the language of the editor one is in, or in Python, with the cursor where the suggestion comes. */
export async function openScratch(languageId: string | undefined): Promise<vscode.TextEditor> {
  const language = scratchLanguage(languageId);
  const comments = SCRATCH_COMMENTS.map((line) => vscode.l10n.t(line, WORD_KEY));
  const document = await vscode.workspace.openTextDocument({
    language,
    content: scratchText(language, comments),
  });
  const end = document.positionAt(document.getText().length);
  return vscode.window.showTextDocument(document, { selection: new vscode.Range(end, end) });
}

/** Whether grey text comes by itself: where the editor's own setting says no, none does of any extension. */
export function editorShowsSuggestions({ document }: vscode.TextEditor): boolean {
  return vscode.workspace.getConfiguration('editor', document).get('inlineSuggest.enabled') !== false;
}
