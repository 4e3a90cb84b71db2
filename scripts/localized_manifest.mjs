/** package.json with the texts that it names by their keys, as an editor reads it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';

/**
 * @param {string} [language] for example `de`; English where it is left out
 * @returns {any}
 */
export function localizedManifest(language) {
  const texts = readJson(language === undefined ? 'package.nls.json' : `package.nls.${language}.json`);
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'), (_, value) => {
    const key = typeof value === 'string' ? /^%([^%]+)%$/.exec(value)?.[1] : undefined;
    return key === undefined ? value : (texts[key] ?? value);
  });
}

/** @param {string} name */
function readJson(name) {
  return JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
}
