/** An editor of a test's own, with the package installed: for who ends its processes, watches them, or needs it as it comes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installExtension, type RunningServer, startCodeServer } from '../../scripts/editor/code_server.mjs';
import { createProfile, type Profile } from '../../scripts/editor/profile.mjs';
import { LOGS, SAMPLES, vsixPath } from '../../scripts/paths.mjs';
import { family, processTable } from '../../scripts/process_table.mjs';
import { Progress } from '../../scripts/progress.mjs';
import { ensureCodeServer } from '../../scripts/setup/code_server.mjs';
import { type EditorPlace, placeOf } from './editor_place';

export interface OwnEditor {
  readonly place: EditorPlace;
  readonly profile: Profile;
  readonly server: RunningServer;
  /** Where the extension keeps what it keeps. */
  readonly storage: string;
  /** Ends it and everything it started, and removes its profile. */
  readonly stop: () => Promise<void>;
}

export interface OwnEditorStart {
  readonly environment?: Record<string, string>;
  /** Of every Node.js that it starts. */
  readonly nodeOptions?: readonly string[];
}

/** With every Node.js of it loading a module of JavaScript before anything else. */
export function loading(module: string, environment: Record<string, string>): OwnEditorStart {
  return { environment, nodeOptions: ['--import', pathToFileURL(module).href] };
}

/**
 * @param name Of its logs.
 * @param settings On top of those that keep an editor quiet.
 * @param startOf How it is started, once its profile is there. Default: as it comes.
 */
export async function startOwnEditor(
  name: string,
  settings: Record<string, unknown>,
  startOf: (profile: Profile) => OwnEditorStart = () => ({}),
): Promise<OwnEditor> {
  const codeServer = await ensureCodeServer(new Progress());
  const profile = createProfile(SAMPLES, { 'files.autoSave': 'off', 'git.enabled': false, ...settings });
  try {
    await installExtension(codeServer, profile, vsixPath(), join(LOGS, `e2e-${name}-install.log`));
    const log = join(LOGS, `e2e-${name}-server.log`);
    const server = await startCodeServer(codeServer, profile, { log, ...startOf(profile) });
    return {
      place: placeOf(server, profile),
      profile,
      server,
      storage: join(profile.userData, 'User', 'globalStorage', 'emberline.emberline'),
      stop: async () => {
        await server.stop();
        profile.remove();
      },
    };
  } catch (error) {
    profile.remove();
    throw error;
  }
}

/** Processes of an editor whose command line holds a text, by their ids. */
export function processesOf({ server }: Pick<OwnEditor, 'server'>, text: string): number[] {
  return family(processTable(), server.processId)
    .map(({ id }) => id)
    .filter((id) => commandLineOf(id).includes(text));
}

/** Each window has one. */
export function extensionHosts(editor: Pick<OwnEditor, 'server'>): number[] {
  return processesOf(editor, '--type=extensionHost');
}

/** With spaces between the arguments; empty where there is no such process any more. */
function commandLineOf(id: number): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
