/**
 * The tree's dependencies run one way (ARCHITECTURE.md, "Layers"). This test reads every import and include and fails on one
 * that runs the wrong way.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** For each native layer, the layers it may include (its own is always allowed). */
const NATIVE_LAYERS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  simd: ['base'],
  gguf: ['base'],
  tokenizer: ['gguf', 'base'],
  grammar: ['tokenizer', 'base'],
  safetensors: ['grammar', 'tokenizer', 'gguf', 'base'],
  device: ['gguf', 'simd', 'base'],
  sampling: ['simd', 'base'],
  model: ['device', 'tokenizer', 'gguf', 'base'],
  decode: ['model', 'sampling', 'grammar', 'device', 'tokenizer', 'gguf', 'base'],
  engine: [
    'decode',
    'safetensors',
    'model',
    'sampling',
    'grammar',
    'device',
    'tokenizer',
    'gguf',
    'simd',
    'base',
  ],
  addon: ['engine', 'decode', 'model', 'sampling', 'grammar', 'device', 'tokenizer', 'gguf', 'base'],
};

/** Layers within a layer: for what begins like this, what it may include of its own layer (itself is always allowed). */
const INNER_LAYERS: Readonly<Record<string, readonly string[]>> = {
  'simd/avx2/': ['simd/append_chosen.h'],
  'simd/avx512/': [],
  'simd/neon/': ['simd/append_chosen.h'],
  'simd/portable/': [],
  'grammar/regular/': [],
  'grammar/json/': ['grammar/regular/'],
  'grammar/program': ['grammar/regular/'],
  'grammar/automaton/': ['grammar/program', 'grammar/regular/'],
  'grammar/gbnf/': ['grammar/program', 'grammar/regular/'],
  'grammar/schema/': ['grammar/program', 'grammar/json/', 'grammar/regular/'],
  'device/cpu/kernels/': ['device/cpu/packed/', 'device/op_params.h'],
  'decode/speculation/': ['decode/constraint.h', 'decode/prompt_prefill.h', 'decode/token_sets.h'],
};

/** Device implementations: siblings that never meet, known only to the layer that chooses one. */
const DEVICE_IMPLEMENTATIONS = ['device/cpu/', 'device/metal/'];

/** For each folder of TypeScript, those it may import from (its own is always allowed). Of `core`, all that is below it. */
const SCRIPT_LAYERS: Readonly<Record<string, readonly string[]>> = {
  'core/engine': [],
  'core/http': [],
  'core/models': ['core/engine', 'core/http'],
  'core/power': [],
  'core/report': ['core/completion', 'core/engine'],
  'core/completion': ['core/engine'],
  'core/scratch': [],
  'core/schema': ['core/completion', 'core/engine'],
  'core/remote': ['core/completion', 'core/engine', 'core/http'],
  'core/generate': ['core/completion', 'core/engine'],
  'core/chat': ['core/completion', 'core/engine'],
  'core/edit': ['core/chat', 'core/schema', 'core/completion', 'core/engine'],
  'core/statistics': ['core/completion', 'core/models', 'core/engine'],
  // Runs in a webview: neither the editor nor Node.js is there.
  'extension/dashboard/page': ['core/statistics', 'core/models', 'core/completion'],
  extension: ['core'],
  cli: ['core'],
  bench: ['core', 'cli'],
};

/** What is part of the extension and so may import no package, but those that are bundled with it for the files named. */
const SHIPPED = ['core', 'extension'];
const BUNDLED: Readonly<Record<string, readonly string[]>> = {
  'jsonc-parser': ['core/schema/json_tokens.ts', 'core/schema/schema_text.ts'],
  '@huggingface/jinja': ['core/chat/template_text.ts'],
  'chart.js': ['extension/dashboard/page/chart_view.ts'],
};

/** The dashboard's page, and what of it the extension may know: what would draw with it is in the page's bundle alone. */
const PAGE = 'extension/dashboard/page';
const KNOWN_OF_PAGE = `${PAGE}/messages`;

/** What opens connections is for one file; nothing else of what is shipped, nor of the terminal program, can. Two others use it: the downloader and the client of a remote engine. */
const NETWORK = new Set(['http', 'https', 'http2', 'net', 'tls', 'dgram', 'dns', 'undici', 'ws']);
const OPENS_CONNECTIONS = 'core/http/connection.ts';
const HAVE_THEM_OPENED: Readonly<Record<string, RegExp>> = {
  'core/models': /^core\/models\/download\/(?:http_get|download)\.ts$/,
  'core/remote': /^core\/remote\/client\.ts$/,
};

/** What of the tests a bench suite runs against: by name. */
const RUNS_AGAINST: Readonly<Record<string, string>> = {
  'bench/soak/soak_command.ts': 'test/remote/stand_in_server',
  'bench/servers/server_program.ts': 'test/remote/llama_server',
};

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
function nativeViolation(file: string, include: string): string | undefined {
  const layer = file.split('/')[1] ?? '';
  const target = include.split('/')[0] ?? '';
  if (!(layer in NATIVE_LAYERS)) return `${file}: '${layer}' is not a known layer`;
  if (!include.includes('/')) {
    // What the GPU's kernels read as well has plain names: beside the file, or, for the device that runs them, in metal/.
    const places = [dirname(file), ...(file.startsWith('native/device/metal/') ? ['metal'] : [])];
    if (!places.some((place) => existsSync(join(ROOT, place, include))))
      return `${file} includes ${include} without its folder`;
  }
  if (!(target in NATIVE_LAYERS)) return undefined;
  if (target !== layer && !NATIVE_LAYERS[layer]?.includes(target)) return `${file} includes ${include}`;
  const inner = Object.keys(INNER_LAYERS).find((start) => file.startsWith(`native/${start}`));
  if (inner !== undefined && target === layer) {
    const allowed = [inner, ...(INNER_LAYERS[inner] ?? [])];
    if (!allowed.some((start) => include.startsWith(start))) return `${file} includes ${include}`;
  }
  for (const implementation of DEVICE_IMPLEMENTATIONS) {
    const inside = file.startsWith(`native/${implementation}`);
    const chooser = layer === 'engine';
    if (include.startsWith(implementation) && !inside && !chooser) return `${file} includes ${include}`;
  }
  return undefined;
}

/** What is wrong with `specifier` imported by `file`, or nothing. */
function scriptViolation(file: string, specifier: string): string | undefined {
  const wrong = `${file} imports ${specifier}`;
  const folder = layerOf(file);
  if (folder === undefined) return `${file}: in no known folder`;
  const top = file.split('/')[0] ?? '';
  if (specifier.startsWith('.')) {
    if (specifier.endsWith('/package.json')) return undefined;
    const target = posix.join(dirname(file), specifier);
    if (`${target}.ts` === OPENS_CONNECTIONS && HAVE_THEM_OPENED[folder]?.test(file) !== true) return wrong;
    if (folder !== PAGE && target.startsWith(`${PAGE}/`) && target !== KNOWN_OF_PAGE) return wrong;
    if (target === RUNS_AGAINST[file]) return undefined;
    const allowed = [folder, ...(SCRIPT_LAYERS[folder] ?? [])];
    return allowed.some((one) => target.startsWith(`${one}/`)) && !target.endsWith('.node')
      ? undefined
      : wrong;
  }
  if (folder === PAGE && (specifier === 'vscode' || specifier.startsWith('node:'))) return wrong;
  if (specifier === 'vscode') return top === 'extension' ? undefined : wrong;
  const offline = SHIPPED.includes(top) || top === 'cli';
  if (offline && file !== OPENS_CONNECTIONS && NETWORK.has(specifier.replace(/^node:|\/.*$/g, '')))
    return wrong;
  if (specifier.startsWith('node:') || !SHIPPED.includes(top)) return undefined;
  return BUNDLED[specifier]?.includes(file) === true ? undefined : wrong;
}

/** Which of the folders of `SCRIPT_LAYERS` a file is in. */
const layerOf = (file: string): string | undefined =>
  Object.keys(SCRIPT_LAYERS).find((folder) => file.startsWith(`${folder}/`));

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
    const files = ['core', 'extension', 'cli', 'bench'].flatMap((folder) => filesUnder(folder, /\.ts$/));
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
    expect(nativeViolation('native/grammar/regular/dfa.h', 'grammar/json/json_value.h')).toBeDefined();
    expect(nativeViolation('native/grammar/gbnf/lowering.h', 'grammar/schema/uri.h')).toBeDefined();
    expect(nativeViolation('native/grammar/schema/uri.h', 'grammar/json/json_value.h')).toBeUndefined();
    expect(nativeViolation('native/tokenizer/bpe.cpp', 'status.h')).toBeDefined();
    expect(nativeViolation('native/model/table_builder.cpp', 'launch_shapes.h')).toBeDefined();
    expect(nativeViolation('native/device/metal/launch.cpp', 'launch_shapes.h')).toBeUndefined();
    expect(scriptViolation('core/completion/prompt.ts', 'vscode')).toBeDefined();
    expect(scriptViolation('extension/completion/provider.ts', 'vscode')).toBeUndefined();
    expect(scriptViolation('core/generate/generated_text.ts', 'vscode')).toBeDefined();
    expect(scriptViolation('core/engine/engine.ts', '../completion/prompt')).toBeDefined();
    expect(scriptViolation('core/completion/prompt.ts', '../schema/json_prefix')).toBeDefined();
    expect(scriptViolation('core/completion/prompt.ts', '../../extension/config')).toBeDefined();
    expect(scriptViolation('core/completion/prompt.ts', 'commander')).toBeDefined();
    expect(scriptViolation('bench/soak/soak_suite.ts', '../../test/remote/stand_in_server')).toBeDefined();
    expect(scriptViolation('core/stray.ts', './engine/engine')).toBeDefined();
    expect(scriptViolation('extension/main.ts', 'node:https')).toBeDefined();
    expect(scriptViolation('core/models/download/download.ts', 'node:dns/promises')).toBeDefined();
    expect(scriptViolation('cli/main.ts', 'net')).toBeDefined();
    expect(scriptViolation('core/http/connection.ts', 'node:https')).toBeUndefined();
    expect(scriptViolation('core/models/download/http_get.ts', 'node:https')).toBeDefined();
    expect(scriptViolation('core/models/download/http_get.ts', '../../http/connection')).toBeUndefined();
    expect(scriptViolation('core/models/local_models.ts', '../http/connection')).toBeDefined();
    expect(scriptViolation('core/remote/client.ts', '../http/connection')).toBeUndefined();
    expect(scriptViolation('core/remote/remote_engine.ts', '../http/connection')).toBeDefined();
    expect(scriptViolation('extension/remote/remote_control.ts', '../../core/http/connection')).toBeDefined();
    expect(scriptViolation('cli/main.ts', '../extension/main')).toBeDefined();
    expect(scriptViolation('cli/main.ts', '../bench/main')).toBeDefined();
    expect(scriptViolation('cli/main.ts', 'vscode')).toBeDefined();
    expect(scriptViolation('cli/main.ts', 'commander')).toBeUndefined();
    expect(scriptViolation('extension/main.ts', 'lodash')).toBeDefined();
    expect(scriptViolation('extension/main.ts', 'jsonc-parser')).toBeDefined();
    expect(scriptViolation('core/schema/json_tokens.ts', 'jsonc-parser')).toBeUndefined();
    expect(scriptViolation('extension/dashboard/page/main.ts', 'vscode')).toBeDefined();
    expect(scriptViolation('extension/dashboard/page/main.ts', 'node:fs')).toBeDefined();
    expect(scriptViolation('extension/dashboard/page/main.ts', '../dashboard')).toBeDefined();
    expect(scriptViolation('extension/dashboard/dashboard.ts', './page/chart_view')).toBeDefined();
    expect(scriptViolation('extension/dashboard/dashboard.ts', './page/messages')).toBeUndefined();
    expect(scriptViolation('extension/dashboard/dashboard.ts', 'chart.js')).toBeDefined();
    expect(scriptViolation('extension/dashboard/page/chart_view.ts', 'chart.js')).toBeUndefined();
    expect(scriptViolation('core/schema/json_prefix.ts', 'vscode')).toBeDefined();
    expect(scriptViolation('extension/main.ts', '../cli/main')).toBeDefined();
    expect(scriptViolation('cli/main.ts', '../core/engine/engine')).toBeUndefined();
  });
});
