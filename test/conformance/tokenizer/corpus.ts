import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SeededRandom } from '../../../bench/random';
import { ODD_TEXTS } from './text/odd_text.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

function readText(...path: string[]): string {
  return readFileSync(join(ROOT, ...path), 'utf8').replaceAll('\r\n', '\n');
}

/** The first `perFile` characters of the files under `folder` that end in `extension`, until `total` characters are had. */
function fromFiles(folder: string, extension: string, perFile: number, total: number): string[] {
  const texts: string[] = [];
  let left = total;
  const paths = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  for (const path of paths.filter((name) => name.endsWith(extension)).sort()) {
    if (left <= 0) break;
    let text: string;
    try {
      text = readText(folder, path).slice(0, Math.min(perFile, left));
    } catch {
      continue; // a folder with such a name
    }
    left -= text.length;
    texts.push(text);
  }
  return texts;
}

/** Short pieces of all samples in random order: what never stands side by side in real text. */
function splices(sources: readonly string[], total: number): string[] {
  const random = new SeededRandom(20240229);
  const characters = Array.from(sources.join('\n'));
  const texts: string[] = [];
  for (let size = 0; size < total;) {
    let text = '';
    while (text.length < 2000) {
      const start = random.below(characters.length);
      text += characters.slice(start, start + 1 + random.below(12)).join('');
    }
    texts.push(text);
    size += text.length;
  }
  return texts;
}

/** The committed samples, and splices of them. Small, and the hardest part. */
export function sampleTexts(): string[] {
  const prose = readText('test', 'conformance', 'tokenizer', 'text', 'prose.txt');
  const code = readText('test', 'conformance', 'tokenizer', 'text', 'code.txt');
  return [
    ...ODD_TEXTS,
    ...prose.split('\n'),
    prose,
    code,
    ...[prose, code].map((text) => text.replaceAll('\n', '\r\n')),
    ...splices([prose, code, ...ODD_TEXTS], 200_000),
  ];
}

/**
 * More than 2 MB of text: prose in 45 languages, 20 of them at length, code in 30, emoji, odd white space, both kinds of line ends. Only files that
 * this repository holds or installs.
 */
export function comparisonTexts(): string[] {
  const modules = 'node_modules';
  const files = [
    ...fromFiles(modules, '.d.ts', 20_000, 300_000),
    ...fromFiles(modules, '.js', 20_000, 300_000),
    ...fromFiles(modules, '.mjs', 20_000, 100_000),
    ...fromFiles(modules, '.md', 10_000, 350_000),
    ...fromFiles(modules, '.json', 5_000, 150_000),
    ...fromFiles(modules, '.css', 20_000, 60_000),
    ...fromFiles(modules, '.html', 10_000, 60_000),
    ...fromFiles('native', '.cpp', 20_000, 150_000),
    ...fromFiles('native', '.h', 20_000, 60_000),
    ...fromFiles('scripts', '.mjs', 20_000, 60_000),
  ];
  return [
    ...sampleTexts(),
    ...files,
    ...files.slice(0, 12).map((text) => text.replaceAll('\n', '\r\n')),
    ...fromFiles(join(modules, 'axe-core', 'locales'), '.json', 25_000, 600_000),
  ];
}
