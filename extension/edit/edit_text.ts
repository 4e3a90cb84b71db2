/** What whoever asked for an edit is told, in the editor's language. */
import * as vscode from 'vscode';
import type { EditProposal } from '../../core/edit/edit_proposal';
import { PROBLEMS } from '../../core/edit/soundness';

export function editText(edit: Pick<EditProposal, 'sentence' | 'problem'>): string {
  const { problem } = edit;
  const sentence = vscode.l10n.t(edit.sentence);
  return problem === undefined ? sentence : `${sentence} (${vscode.l10n.t(PROBLEMS[problem])})`;
}
