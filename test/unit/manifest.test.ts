/** What package.json promises is what the code does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_OPTIONS } from '../../extension/completion/options';
import { REASONS } from '../../extension/completion/reasons';
import { STOPS } from '../../extension/completion/stop';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Setting {
  readonly title: string;
  readonly type: string;
  readonly default: unknown;
  readonly scope: string;
  readonly markdownDescription: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Manifest {
  readonly icon: string;
  readonly dependencies?: unknown;
  readonly capabilities: {
    readonly untrustedWorkspaces: {
      readonly supported: unknown;
      readonly restrictedConfigurations: readonly string[];
    };
  };
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly category: string }[];
    readonly keybindings: readonly { readonly command: string }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Setting>> }[];
  };
}

const manifest = JSON.parse(read('package.json')) as Manifest;
const settings = Object.assign(
  {},
  ...manifest.contributes.configuration.map((part) => part.properties),
) as Record<string, Setting>;
const defaultOf = (name: string): unknown => settings[`emberline.${name}`]?.default;

describe('the manifest', () => {
  it('has the defaults of the code', () => {
    expect({
      enabled: defaultOf('enable'),
      languages: defaultOf('languages'),
      excludedFiles: defaultOf('excludedFiles'),
      maxTokens: defaultOf('completion.maxTokens'),
      promptTokens: defaultOf('completion.promptTokens'),
      minimumConfidence: defaultOf('completion.minimumConfidence'),
      delayMs: defaultOf('completion.delay'),
    }).toEqual(DEFAULT_OPTIONS);
  });

  it('describes every setting, with a scope and bounds', () => {
    for (const [name, setting] of Object.entries(settings)) {
      expect(setting.title, name).toMatch(/\S/);
      expect(setting.markdownDescription, name).toMatch(/\.$/);
      expect(['window', 'machine'], name).toContain(setting.scope);
      if (setting.type === 'integer' || setting.type === 'number') {
        expect(setting.minimum, name).toBeTypeOf('number');
        expect(setting.maximum, name).toBeTypeOf('number');
      }
    }
  });

  it('lets no workspace choose which file is opened', () => {
    expect(settings['emberline.model.path']?.scope).toBe('machine');
  });

  it('lets no workspace that is not trusted include files with secrets', () => {
    const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    expect(supported).toBe('limited');
    expect(restrictedConfigurations).toContain('emberline.excludedFiles');
    for (const name of restrictedConfigurations) expect(Object.keys(settings)).toContain(name);
  });

  it('has a command in the code for each it contributes', () => {
    const table = [...read('extension/main.ts').matchAll(/'(emberline\.\w+)': commands\./g)].map(
      (match) => match[1],
    );
    expect(manifest.contributes.commands.map(({ command }) => command)).toEqual(table);
    for (const { command } of manifest.contributes.keybindings) expect(table).toContain(command);
  });

  it('has its settings in the README, word for word', () => {
    const block = /<!-- settings:begin -->([^]*)<!-- settings:end -->/.exec(read('README.md'))?.[1] ?? '';
    const cells = block
      .trim()
      .split('\n')
      .slice(2)
      .map((row) => row.split(' | ').map((cell) => cell.replace(/^\| *| *\|$/g, '').trim()));
    const expected = Object.entries(settings).map(([name, setting]) => [
      `\`${name}\``,
      Array.isArray(setting.default)
        ? `${setting.default.length} patterns`
        : `\`${JSON.stringify(setting.default)}\``,
      setting.markdownDescription,
    ]);
    expect(cells).toEqual(expected);
  });

  it('has no runtime dependency', () => {
    expect(manifest.dependencies).toBeUndefined();
  });

  it('has an icon of 256 x 256', () => {
    const png = readFileSync(join(ROOT, manifest.icon));
    expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([256, 256]);
  });
});

describe('the page of stops and reasons', () => {
  it('lists exactly what there is', () => {
    const rows = [...read('docs/reasons.md').matchAll(/^\| `(\w+)` +\| (.*?) *\|$/gm)].map((row) => [
      row[1],
      row[2],
    ]);
    expect(rows).toEqual([...Object.entries(STOPS), ...Object.entries(REASONS)]);
  });
});
