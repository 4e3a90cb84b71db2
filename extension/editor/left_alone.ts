/** Files that are not read because of their name: `emberline.excludedFiles`. */
import type * as vscode from 'vscode';
import { isExcluded } from '../../core/completion/excluded_files';
import { pathOf } from './editor_snapshot';

export function isLeftAlone(uri: vscode.Uri, excluded: readonly string[]): boolean {
  return isExcluded({ path: pathOf(uri), fullPath: uri.path }, excluded);
}
