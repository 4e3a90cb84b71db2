/** What package.json promises is what the code does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_OPTIONS, DRAFTING } from '../../core/completion/options';
import { type Reason, REASONS } from '../../core/completion/reasons';
import { REMEDIES } from '../../core/completion/remedies';
import { ON_BATTERY } from '../../core/completion/restraint';
import { MAX_SEED } from '../../core/completion/sampling';
import { SCHEMA_USES } from '../../core/completion/schema_use';
import { STOPS } from '../../core/completion/stop';
import { EDIT_ENDINGS } from '../../core/edit/edit_endings';
import { EAGERNESS, LEAST_CERTAINTY } from '../../core/completion/certainty';
import { HUB } from '../../core/models/catalogue';
import { DEFAULT_GENERATE, KEEP_PARTIAL } from '../../core/generate/options';
import { KV_CACHES } from '../../core/engine/kv_cache';
import { DEVICES } from '../../core/engine/native_types';
import { PROTOCOLS } from '../../core/remote/protocol';
import { FIM_CHOICES } from '../../core/remote/server';
import {
  readCompletion,
  readDownloads,
  readEngine,
  readGenerate,
  readRemote,
} from '../../extension/settings';
import { localizedManifest } from '../../scripts/localized_manifest.mjs';
import { settingsPage } from '../../scripts/settings_page.mjs';
import { extensionSources } from './texts_of_extension';

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
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly markdownEnumDescriptions?: readonly string[];
}

interface Offered {
  readonly command: string;
  readonly when: string;
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
    readonly commands: readonly {
      readonly command: string;
      readonly title: string;
      readonly enablement?: string;
    }[];
    readonly keybindings: readonly Offered[];
    readonly menus: Readonly<Record<string, readonly Offered[]>>;
    readonly walkthroughs: readonly {
      readonly id: string;
      readonly steps: readonly {
        readonly id: string;
        readonly description: string;
        readonly media: { readonly image: string };
        readonly completionEvents?: readonly string[];
      }[];
    }[];
    readonly configuration: readonly {
      readonly title: string;
      readonly properties: Record<string, Setting>;
    }[];
  };
}

const manifest = localizedManifest() as Manifest;
const settings = Object.assign(
  {},
  ...manifest.contributes.configuration.map((part) => part.properties),
) as Record<string, Setting>;

describe('the manifest', () => {
  it('has the defaults of the code, and a setting for all that is read', () => {
    const read = new Set<string>();
    const defaultOf = (name: string): unknown => {
      read.add(`emberline.${name}`);
      const setting = settings[`emberline.${name}`] ?? expect.fail(`No setting has the name ${name}.`);
      return setting.default;
    };
    expect(readCompletion(defaultOf)).toEqual(DEFAULT_OPTIONS);
    expect(readGenerate(defaultOf)).toEqual(DEFAULT_GENERATE);
    readEngine(defaultOf);
    expect(readDownloads(defaultOf)).toEqual({ mirror: HUB });
    expect(readRemote(defaultOf)).toEqual({
      url: '',
      protocol: 'auto',
      model: '',
      timeoutMs: 800,
      caFile: '',
      fim: 'auto',
    });
    expect([...read].toSorted()).toEqual(Object.keys(settings).toSorted());
  });

  it('takes along a number that was chosen before there was a word for it', () => {
    const chosen = (values: Record<string, unknown>): number =>
      readCompletion((name) => values[name]).leastCertainty;
    expect(chosen({ 'completion.eagerness': 'quiet' })).toBe(LEAST_CERTAINTY.quiet);
    expect(chosen({ 'completion.eagerness': 'quiet', 'completion.minimumConfidence': 0.1 })).toBe(0.1);
    expect(chosen({ 'completion.minimumConfidence': null })).toBe(LEAST_CERTAINTY.balanced);
  });

  it('describes every setting, with a scope and bounds', () => {
    for (const [name, setting] of Object.entries(settings)) {
      expect(setting.title, name).toMatch(/\S/);
      expect(setting.markdownDescription, name).toMatch(/\.$/);
      expect(['window', 'machine', 'application'], name).toContain(setting.scope);
      if (setting.type === 'integer' || setting.type === 'number') {
        expect(setting.minimum, name).toBeTypeOf('number');
        expect(setting.maximum, name).toBeTypeOf('number');
      }
    }
  });

  it('offers the choices of the code', () => {
    expect(settings['emberline.device']?.enum).toEqual(DEVICES);
    expect(settings['emberline.model.kvCache']?.enum).toEqual(KV_CACHES);
    expect(settings['emberline.onBattery']?.enum).toEqual(ON_BATTERY);
    expect(settings['emberline.drafting']?.enum).toEqual(DRAFTING);
    expect(settings['emberline.remote.protocol']?.enum).toEqual(PROTOCOLS);
    expect(settings['emberline.remote.fim']?.enum).toEqual(FIM_CHOICES);
    expect(settings['emberline.completion.eagerness']?.enum).toEqual(EAGERNESS);
    expect(settings['emberline.generate.keepPartial']?.enum).toEqual(KEEP_PARTIAL);
    expect(settings['emberline.sampling.seed']?.maximum).toBe(MAX_SEED);
  });

  it('lets no workspace choose which file is opened', () => {
    expect(settings['emberline.model.path']?.scope).toBe('machine');
    expect(settings['emberline.draft.model']?.scope).toBe('machine');
    expect(settings['emberline.model.mirror']?.scope).toBe('application');
  });

  it('lets no workspace choose where text goes', () => {
    const remote = Object.entries(settings).filter(([name]) => name.startsWith('emberline.remote.'));
    expect(remote.length).toBeGreaterThan(0);
    for (const [name, { scope }] of remote) expect(scope, name).toBe('machine');
  });

  it('has no setting for a key', () => {
    expect(Object.keys(settings).filter((name) => /key|token$|secret/i.test(name))).toEqual([]);
  });

  it('lets no workspace that is not trusted include files with secrets', () => {
    const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    expect(supported).toBe('limited');
    expect(restrictedConfigurations).toContain('emberline.excludedFiles');
    for (const name of restrictedConfigurations) expect(Object.keys(settings)).toContain(name);
  });

  it('has a command in the code for each it contributes', () => {
    const table = [...read('extension/commands/table.ts').matchAll(/'(emberline\.\w+)': \w+\.\w+,/g)].map(
      (match) => match[1],
    );
    expect(manifest.contributes.commands.map(({ command }) => command)).toEqual(table);
    const { keybindings, menus } = manifest.contributes;
    for (const { command } of [...keybindings, ...Object.values(menus).flat()])
      expect(table).toContain(command);
    const sources = [...extensionSources().values()].join('\n');
    const run = [...sources.matchAll(/\b(?:command: |executeCommand\()'(emberline\.\w+)'/g)];
    // Most are those of the menu.
    expect(run.length).toBeGreaterThan(15);
    for (const [, command] of run) expect(table).toContain(command);
  });

  it('offers nothing that writes where the editor lets nobody write', () => {
    const { commands, keybindings, menus } = manifest.contributes;
    const offers = [
      ...commands.map(({ command, enablement = '' }) => ({ command, when: enablement })),
      ...keybindings,
      ...Object.values(menus).flat(),
    ].filter(({ command }) => /^emberline\.(?:generate(?:Lines)?|editSelection)$/.test(command));
    expect(offers).toHaveLength(6);
    for (const { when } of offers) expect(when).toContain('!editorReadonly');
  });

  it('has its settings on a page of their own, word for word', () => {
    const page = read('docs/settings.md');
    expect(page).toBe(settingsPage(manifest.contributes.configuration));
    for (const [name, setting] of Object.entries(settings)) {
      expect(page).toContain(`### \`${name}\`\n\nDefault: `);
      expect(page).toContain(setting.markdownDescription);
      const { markdownEnumDescriptions, enumDescriptions = [] } = setting;
      for (const meaning of markdownEnumDescriptions ?? enumDescriptions) expect(page).toContain(meaning);
    }
  });

  it('has a walkthrough whose pictures and commands there are', () => {
    const commands = new Set(manifest.contributes.commands.map(({ command }) => command));
    const [walkthrough, ...others] = manifest.contributes.walkthroughs;
    expect(others).toEqual([]);
    expect(walkthrough?.steps.length).toBe(3);
    expect(read('extension/welcome.ts')).toContain(`'emberline.emberline#${walkthrough?.id}'`);
    for (const { id, description, media, completionEvents = [] } of walkthrough?.steps ?? []) {
      const png = readFileSync(join(ROOT, media.image));
      expect(png.subarray(1, 4).toString('latin1'), media.image).toBe('PNG');
      // The package is downloaded with them.
      expect(png.length, media.image).toBeLessThan(60_000);
      const linked = [...description.matchAll(/\(command:([\w.]+)/g)].map(([, command = '']) => command);
      const named = completionEvents.map((event) => event.replace('onCommand:', ''));
      expect(linked.length, id).toBeGreaterThan(0);
      for (const command of [...linked, ...named].filter((one) => one.startsWith('emberline.')))
        expect(commands).toContain(command);
    }
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
    const lines = [...read('docs/reasons.md').matchAll(/^\| `(\w+)` +\| (.*) \|$/gm)];
    const rows = lines.map(([, name = '', rest = '']) => [
      name,
      ...rest.split(' | ').map((cell) => cell.trim()),
    ]);
    const remedied = Object.entries(REASONS).map(([name, sentence]) => [
      name,
      sentence,
      REMEDIES[name as Reason].replace('{0}', 'Ctrl+Right (Cmd+Right on a Mac)'),
    ]);
    expect(rows).toEqual([...Object.entries(STOPS), ...remedied, ...Object.entries(SCHEMA_USES)]);
  });

  it('names commands that there are', () => {
    const titles = manifest.contributes.commands.map(({ title }) => `Emberline: ${title}`);
    const named = Object.values(REMEDIES).flatMap((remedy) =>
      [...remedy.matchAll(/"(Emberline: [^"]+)"/g)].map((match) => match[1]),
    );
    expect(named.length).toBeGreaterThan(5);
    for (const title of named) expect(titles).toContain(title);
  });
});

describe('the page of structured edits', () => {
  it('lists how they can end', () => {
    const block =
      /<!-- endings:begin -->([^]*)<!-- endings:end -->/.exec(read('docs/structured_edits.md'))?.[1] ?? '';
    const rows = [...block.matchAll(/^\| `(\w+)` +\| (.*?) *\|$/gm)].map((row) => [row[1], row[2]]);
    expect(rows).toEqual(Object.entries(EDIT_ENDINGS));
  });
});
