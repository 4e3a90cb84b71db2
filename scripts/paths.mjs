import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
export const BUILD = join(ROOT, 'build');
/** Where the preset `release` builds, and the addon with it. */
export const RELEASE = join(BUILD, 'addon');
export const DIST = join(ROOT, 'dist');
export const LOGS = join(BUILD, 'logs');
/** Test tools that are no dependency of the extension, kept between runs. */
export const TOOLS = join(ROOT, '.cache', 'tools');
/** Models that are fetched on request: ignored, never shipped. */
export const FETCHED_MODELS = join(ROOT, '.cache', 'models');
export const SAMPLES = join(ROOT, 'samples');
export const ADDON = join(DIST, 'native', 'emberline.node');
/** The compiled kernels of the Metal device; on macOS alone. */
export const KERNEL_LIBRARY = join(DIST, 'native', 'emberline.metallib');

/** The addon with a simulated GPU inside, which the preset metal-sim builds. */
export const SIMULATED_ADDON = join(RELEASE, 'test', 'metal-sim', 'addon', 'emberline.node');

/** The name of the one model in models/, as its list of checksums has it. */
export function embeddedModelName() {
  const [, name] = readFileSync(join(ROOT, 'models', 'SHA256SUMS'), 'utf8')
    .trim()
    .split('  ');
  return String(name);
}

/** @returns {{ name: string, publisher: string, version: string, engines: { node: string } }} */
export function manifest() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
}

/** The name VS Code's marketplace gives this platform, for example `linux-x64`. */
export function vscodeTarget() {
  return `${process.platform}-${process.arch}`;
}

/** Where the package for a platform is written, by default for this one. */
export function vsixPath(target = vscodeTarget()) {
  const { name, version } = manifest();
  return join(DIST, `${name}-${target}-${version}.vsix`);
}
