import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A throw-away home for an editor: settings, extensions, temporary files and a workspace, all under one folder.
 * @typedef {object} Profile
 * @property {string} folder
 * @property {string} userData
 * @property {string} extensions
 * @property {string} temporary
 * @property {string} workspace a copy of the folder given, free to be edited
 * @property {() => void} remove
 */

/** An editor without what would stand in the way of a first look: no welcome, no chat, no trust question, no telemetry. */
const QUIET_SETTINGS = {
  'chat.disableAIFeatures': true,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  // It would install packages.
  'typescript.disableAutomaticTypeAcquisition': true,
  'update.mode': 'none',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};
/** The same of the settings whose scope is the machine. */
const QUIET_MACHINE = { 'workbench.welcomePage.walkthroughs.openOnInstall': false };

/**
 * @param {string} workspace the folder to copy as the workspace
 * @param {Record<string, unknown>} [settings] on top of the quiet ones
 * @returns {Profile}
 */
export function createProfile(workspace, settings = {}) {
  // Under the system's temporary folder, because a Unix socket's path may be no longer than 107 bytes; without links, because
  // the editor compares paths.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'emberline-')));
  const profile = {
    folder,
    userData: join(folder, 'user'),
    extensions: join(folder, 'extensions'),
    temporary: join(folder, 'tmp'),
    workspace: join(folder, 'workspace'),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
  mkdirSync(join(profile.userData, 'User'), { recursive: true });
  mkdirSync(join(profile.userData, 'Machine'));
  mkdirSync(profile.extensions);
  mkdirSync(profile.temporary);
  cpSync(workspace, profile.workspace, { recursive: true });
  writeFileSync(
    join(profile.userData, 'User', 'settings.json'),
    JSON.stringify({ ...QUIET_SETTINGS, ...QUIET_MACHINE, ...settings }, null, 2),
  );
  // Where a served editor looks for settings whose scope is the machine.
  writeFileSync(
    join(profile.userData, 'Machine', 'settings.json'),
    JSON.stringify({ ...QUIET_MACHINE, ...settings }, null, 2),
  );
  return profile;
}
