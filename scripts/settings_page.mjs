/** docs/settings.md: the settings as package.json describes them, in English. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './failure.mjs';
import { localizedManifest } from './localized_manifest.mjs';
import { ROOT } from './paths.mjs';

/**
 * @typedef {{
 *   type: string,
 *   default: unknown,
 *   minimum?: number,
 *   maximum?: number,
 *   enum?: readonly string[],
 *   markdownEnumDescriptions?: readonly string[],
 *   enumDescriptions?: readonly string[],
 *   markdownDescription: string,
 * }} Setting
 * @typedef {{ title: string, properties: Record<string, Setting> }} Group
 */

const PAGE = join(ROOT, 'docs', 'settings.md');
/** A list that is longer is counted instead. */
const LONGEST_LIST = 4;

/**
 * @param {string} name
 * @param {Setting} setting
 */
function entry(name, setting) {
  const { minimum, maximum } = setting;
  const range = minimum === undefined || maximum === undefined ? '' : `, ${minimum} to ${maximum}`;
  const meanings = setting.markdownEnumDescriptions ?? setting.enumDescriptions;
  const choices = (setting.enum ?? []).map((choice, index) => {
    const meaning = meanings?.[index];
    return `- \`${choice}\`${meaning === undefined ? '' : `: ${meaning}`}`;
  });
  return [
    `### \`${name}\``,
    `Default: ${defaultOf(setting)}${range}.`,
    setting.markdownDescription,
    ...(choices.length === 0 ? [] : [choices.join('\n')]),
  ].join('\n\n');
}

/** @param {Setting} setting */
function defaultOf({ default: value }) {
  if (Array.isArray(value) && value.length > LONGEST_LIST) return `${value.length} patterns`;
  return `\`${JSON.stringify(value)}\``;
}

/** @param {readonly Group[]} groups */
export function settingsPage(groups) {
  const parts = groups.map(({ title, properties }) =>
    [`## ${title}`, ...Object.entries(properties).map(([name, setting]) => entry(name, setting))].join(
      '\n\n',
    ),
  );
  const head =
    '# Settings\n\nWritten by `npm run format` from package.json. What words like draft and KV cache mean: [here](../core/README.md#words).';
  return `${[head, ...parts].join('\n\n')}\n`;
}

/**
 * Writes the page, or fails where it is not what package.json says.
 * @param {boolean} fix
 */
export function checkSettingsPage(fix) {
  const page = settingsPage(localizedManifest().contributes.configuration);
  if (fix) writeFileSync(PAGE, page);
  else if (readFileSync(PAGE, 'utf8') !== page)
    throw new Failure('docs/settings.md is not what package.json says; `npm run format` mends that.');
}
