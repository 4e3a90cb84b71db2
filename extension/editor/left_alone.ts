/** Files that are not read because of their name: `emberline.excludedFiles`. */
import type * as vscode from 'vscode';
import { isExcluded } from '../../core/completion/excluded_files';
import { pathOf } from './editor_snapshot';

/** The path within the workspace alone would not tell of the folders above it, nor the whole path of where the workspace begins. */
export function isLeftAlone(uri: vscode.Uri, excluded: readonly string[]): boolean {
  return isExcluded(pathOf(uri), excluded) || isExcluded(uri.path, excluded);
}
