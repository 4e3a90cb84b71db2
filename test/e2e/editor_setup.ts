/** Starts one editor with the package installed and one browser for all the tests in this folder, and ends them after them. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { serveChromium } from '../../scripts/editor/chromium.mjs';
import { installExtension, startCodeServer } from '../../scripts/editor/code_server.mjs';
import { createProfile } from '../../scripts/editor/profile.mjs';
import { LOGS, SAMPLES, vsixPath } from '../../scripts/paths.mjs';
import { Progress } from '../../scripts/progress.mjs';
import { ensureCodeServer } from '../../scripts/setup/code_server.mjs';
import { type EditorPlace, placeOf } from './editor_place';

declare module 'vitest' {
  interface ProvidedContext {
    place: EditorPlace;
    /** Where the browser listens. */
    browser: string;
    /** A folder for whatever a test needs; gone after the tests. */
    scratch: string;
  }
}

/** The list of words and keys, which hides ghost text where it is the first to come. */
const NO_LIST = {
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.suggestOnTriggerCharacters': false,
};

/** What would hide ghost text, change files behind a test's back, or end before a test has seen enough. */
const SETTINGS = {
  ...NO_LIST,
  // JSON has defaults of its own, which come before what is set for all languages.
  '[json]': NO_LIST,
  'editor.minimap.enabled': false,
  'editor.parameterHints.enabled': false,
  'emberline.generate.maxTokens': 2048,
  'files.autoSave': 'off',
  'files.hotExit': 'off',
  'git.enabled': false,
};

/** What draws the eye to the text, for the picture. */
const PICTURE_SETTINGS = {
  'breadcrumbs.enabled': false,
  'editor.fontSize': 15,
  'editor.scrollbar.vertical': 'hidden',
  'editor.scrollBeyondLastLine': false,
  'window.commandCenter': false,
  'workbench.activityBar.location': 'hidden',
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.layoutControl.enabled': false,
};

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  mkdirSync(LOGS, { recursive: true });
  const log = join(LOGS, 'e2e-install.log');
  const codeServer = await ensureCodeServer(new Progress());
  const forPicture = process.env['EMBERLINE_SCREENSHOT'] === undefined ? {} : PICTURE_SETTINGS;
  const browser = await serveChromium();
  const profile = createProfile(SAMPLES, { ...SETTINGS, ...forPicture });
  try {
    await installExtension(codeServer, profile, vsixPath(), log);
    const server = await startCodeServer(codeServer, profile, { log: join(LOGS, 'e2e-server.log') });
    project.provide('place', placeOf(server, profile));
    project.provide('scratch', profile.temporary);
    project.provide('browser', browser.wsEndpoint());
    return async () => {
      await browser.close();
      await server.stop();
      profile.remove();
    };
  } catch (error) {
    await browser.close();
    profile.remove();
    throw error;
  }
}
