/** What whoever asked for an edit is told, in the editor's language. */
import * as vscode from 'vscode';
import { PROBLEMS, type Problem } from '../../core/edit/soundness';

export interface ToldEdit {
  readonly sentence: string;
  readonly problem?: Problem | undefined;
}

export function editText(edit: ToldEdit): string {
  const { problem } = edit;
  const sentence = vscode.l10n.t(edit.sentence);
  return problem === undefined ? sentence : `${sentence} (${vscode.l10n.t(PROBLEMS[problem])})`;
}
