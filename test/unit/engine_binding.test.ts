import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadAddon } from '../../core/engine/binding';
import { Engine } from '../../core/engine/engine';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-binding-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function messageOf(path: string): string {
  const result = loadAddon(path);
  if (result.ok) throw new Error('loaded');
  expect(result.error.code).toBe('ADDON_NOT_LOADED');
  expect(result.error.message).toContain(`${process.platform}-${process.arch}`);
  expect(result.error.message).toMatch(/^The engine could not be loaded \(.+\); install .+\.$/);
  return result.error.message;
}

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('loading the addon', () => {
  it('names a file that is not there', () => {
    expect(messageOf(join(folder, 'none.node'))).toContain('none.node does not exist');
  });

  it('gives the reason of the system for a file that is no library, or one of another platform', () => {
    expect(messageOf(write('text.node', 'not a library'))).toContain('text.node');
    // The header of a 64-bit ELF library for AArch64, the first bytes of a Mach-O one, and of a Windows one.
    const elf = new Uint8Array(64);
    elf.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0xb7, 0]);
    for (const header of [elf, new Uint8Array([0xcf, 0xfa, 0xed, 0xfe]), new Uint8Array([0x4d, 0x5a])]) {
      expect(messageOf(write(`foreign${header[0] ?? 0}.node`, header))).toContain('foreign');
    }
  });

  it('refuses a module that is something else', () => {
    expect(messageOf(write('other.js', 'module.exports = { inspect() {} };'))).toContain(
      "is not Emberline's addon",
    );
    expect(messageOf(write('null.js', 'module.exports = null;'))).toContain("is not Emberline's addon");
  });

  it('survives a module that throws anything', () => {
    expect(messageOf(write('throws.js', 'throw 1;'))).toContain('it threw an exception');
    expect(messageOf(write('lines.js', 'throw new Error("first\\nsecond");'))).toContain('(first)');
  });

  it('passes the compiled kernels that lie beside it, and none where there are none', async () => {
    const beside = join(folder, 'built');
    mkdirSync(beside);
    // Answers with the path it was given.
    const echo = `exports.inspect = () => {};
      exports.loadModel = ({ metalLibrary = 'none' }) =>
        Promise.resolve({ ok: false, error: { code: 'FILE_NOT_FOUND', message: metalLibrary } });`;
    const addonPath = write(join('built', 'addon.js'), echo);
    const passed = async (metalLibrary?: string): Promise<string> => {
      const choice = metalLibrary === undefined ? {} : { metalLibrary };
      const engine = await Engine.load({ addonPath, modelPath: 'model.gguf', ...choice });
      return engine.ok ? 'loaded' : engine.error.message;
    };
    expect(await passed()).toBe('none');
    const library = write(join('built', 'emberline.metallib'), '');
    expect(await passed()).toBe(library);
    expect(await passed('/other.metallib')).toBe('/other.metallib');
  });

  it('gives the same error from the engine', async () => {
    const addonPath = join(folder, 'none.node');
    const engine = await Engine.load({ addonPath, modelPath: join(folder, 'none.gguf') });
    expect(engine).toMatchObject({ ok: false, error: { code: 'ADDON_NOT_LOADED' } });
  });
});
