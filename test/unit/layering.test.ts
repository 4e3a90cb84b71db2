/**
 * The tree's dependencies run one way (ARCHITECTURE.md, "Layers"). This test reads every import and include and fails on one
 * that runs the wrong way.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** For each native layer, the layers it may include (its own is always allowed). */
const NATIVE_LAYERS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  gguf: ['base'],
  tokenizer: ['gguf', 'base'],
  grammar: ['tokenizer', 'base'],
  device: ['gguf', 'base'],
  sampling: ['base'],
  model: ['device', 'tokenizer', 'gguf', 'base'],
  decode: ['model', 'sampling', 'grammar', 'device', 'tokenizer', 'gguf', 'base'],
  engine: ['decode', 'model', 'sampling', 'grammar', 'device', 'tokenizer', 'gguf', 'base'],
  addon: ['engine', 'decode', 'model', 'sampling', 'grammar', 'device', 'tokenizer', 'gguf', 'base'],
};

/** Device implementations: siblings that never meet, known only to the layer that chooses one. */
const DEVICE_IMPLEMENTATIONS = ['device/cpu/', 'device/metal/'];

/** Files of the folders below that may import `vscode`; every other file there is pure. */
const HOST_FILES = [
  'extension/completion/provider.ts',
  'extension/edit/edit_preview.ts',
  'extension/edit/structured_editor.ts',
  'extension/generate/generator.ts',
  'extension/generate/insertion.ts',
  'extension/generate/partial_question.ts',
  'extension/schema/workspace_schemas.ts',
];
const PURE_FOLDERS = /^extension\/(completion|edit|generate|schema)\//;

/** The one package that is bundled with the extension, and the files that may import it. */
const BUNDLED = 'jsonc-parser';
const BUNDLED_FOR = ['extension/schema/json_tokens.ts', 'extension/schema/schema_text.ts'];

function filesUnder(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

function matches(file: string, pattern: RegExp): string[] {
  return [...readFileSync(join(ROOT, file), 'utf8').matchAll(pattern)].map((match) => match[1] ?? '');
}

/** Files a C++ file includes with quotes, as paths relative to native/ or metal/. */
const includesOf = (file: string): string[] => matches(file, /^\s*#\s*(?:include|import)\s+"([^"]+)"/gm);

/** Modules a TypeScript file imports, statically, dynamically or for types. */
const importsOf = (file: string): string[] =>
  matches(file, /(?:^|\s|\()(?:from|import|import\(|require\()\s*['"]([^'"]+)['"]/gm);

/** What is wrong with `include` standing in `file`, or nothing. */
export function nativeViolation(file: string, include: string): string | undefined {
  const layer = file.split('/')[1] ?? '';
  const target = include.split('/')[0] ?? '';
  if (!(layer in NATIVE_LAYERS)) return `${file}: '${layer}' is not a known layer`;
  if (!(target in NATIVE_LAYERS)) return undefined;
  if (target !== layer && !NATIVE_LAYERS[layer]?.includes(target)) return `${file} includes ${include}`;
  for (const implementation of DEVICE_IMPLEMENTATIONS) {
    const inside = file.startsWith(`native/${implementation}`);
    const chooser = layer === 'engine';
    if (include.startsWith(implementation) && !inside && !chooser) return `${file} includes ${include}`;
  }
  return undefined;
}

/** What is wrong with `specifier` imported by `file`, or nothing. */
export function scriptViolation(file: string, specifier: string): string | undefined {
  const wrong = `${file} imports ${specifier}`;
  const target = specifier.startsWith('.') ? posix.join(dirname(file), specifier) : specifier;
  const pure =
    file.startsWith('extension/engine/') ||
    file.startsWith('cli/') ||
    file.startsWith('bench/') ||
    (PURE_FOLDERS.test(file) && !HOST_FILES.includes(file));
  if (pure && target === 'vscode') return wrong;
  if (file.startsWith('extension/')) {
    const bundled = target === BUNDLED && BUNDLED_FOR.includes(file);
    if (!specifier.startsWith('.') && target !== 'vscode' && !target.startsWith('node:') && !bundled)
      return wrong;
    if (specifier.startsWith('.') && !target.startsWith('extension/')) return wrong;
  }
  if (
    file.startsWith('extension/engine/') &&
    specifier.startsWith('.') &&
    !target.startsWith('extension/engine/')
  )
    return wrong;
  if (target.endsWith('.node')) return wrong;
  return undefined;
}

describe('layering', () => {
  it('native layers include only the layers below them', () => {
    const violations = filesUnder('native', /\.(h|cpp|mm|inc)$/).flatMap((file) =>
      includesOf(file).map((include) => nativeViolation(file, include)),
    );
    expect(violations.filter((violation) => violation !== undefined)).toEqual([]);
  });

  it('only the addon includes napi.h', () => {
    const users = filesUnder('native', /\.(h|cpp|mm)$/).filter((file) =>
      /#\s*include\s+[<"]napi\.h[>"]/.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(users.filter((file) => !file.startsWith('native/addon/'))).toEqual([]);
  });

  it('scripts import only what their folder may know', () => {
    const files = ['extension', 'cli', 'bench'].flatMap((folder) => filesUnder(folder, /\.ts$/));
    expect(files.length).toBeGreaterThan(10);
    const violations = files.flatMap((file) =>
      importsOf(file).map((specifier) => scriptViolation(file, specifier)),
    );
    expect(violations.filter((violation) => violation !== undefined)).toEqual([]);
  });

  it('recognises dependencies that run the wrong way', () => {
    expect(nativeViolation('native/base/status.h', 'gguf/gguf_file.h')).toBeDefined();
    expect(nativeViolation('native/device/cpu/cpu_device.cpp', 'device/metal/metal_device.h')).toBeDefined();
    expect(nativeViolation('native/model/table_builder.cpp', 'device/cpu/cpu_device.h')).toBeDefined();
    expect(nativeViolation('native/tokenizer/bpe.cpp', 'base/status.h')).toBeUndefined();
    expect(scriptViolation('extension/completion/prompt.ts', 'vscode')).toBeDefined();
    expect(scriptViolation('extension/completion/provider.ts', 'vscode')).toBeUndefined();
    expect(scriptViolation('extension/generate/generated_text.ts', 'vscode')).toBeDefined();
    expect(scriptViolation('extension/engine/engine.ts', '../completion/prompt')).toBeDefined();
    expect(scriptViolation('extension/main.ts', 'lodash')).toBeDefined();
    expect(scriptViolation('extension/main.ts', 'jsonc-parser')).toBeDefined();
    expect(scriptViolation('extension/schema/json_tokens.ts', 'jsonc-parser')).toBeUndefined();
    expect(scriptViolation('extension/schema/json_prefix.ts', 'vscode')).toBeDefined();
    expect(scriptViolation('extension/main.ts', '../cli/main')).toBeDefined();
    expect(scriptViolation('cli/main.ts', '../extension/engine/engine')).toBeUndefined();
  });
});
