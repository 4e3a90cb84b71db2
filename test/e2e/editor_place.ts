/** Where the windows of one served editor are. */
import { join } from 'node:path';
import type { RunningServer } from '../../scripts/editor/code_server.mjs';
import type { Profile } from '../../scripts/editor/profile.mjs';

export interface EditorPlace {
  /** Address of the editor, for example `http://127.0.0.1:40123`. */
  readonly editorUrl: string;
  /** The folder on disk that it opens. */
  readonly workspace: string;
  /** Where it keeps a copy of what is typed and not saved. */
  readonly backups: string;
}

export function placeOf(server: Pick<RunningServer, 'url'>, profile: Profile): EditorPlace {
  return {
    editorUrl: server.url,
    workspace: profile.workspace,
    backups: join(profile.userData, 'User', 'Backups'),
  };
}
