import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nothing } from '../../core/completion/outcome';
import { changedSettings, type SettingSchema } from '../../core/report/changed_settings';
import { RecentEndings } from '../../core/report/recent_endings';
import { redacted } from '../../core/report/redaction';
import { newIssuePage, type ReportFacts, reportOf } from '../../core/report/report';

const SECRET = 'hunter2';
const PERSON = { home: `/home/ada${SECRET}`, user: `ada${SECRET}` };
const KEY = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';

const { contributes } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
) as {
  contributes: { configuration: { properties: Record<string, SettingSchema> }[] };
};
const SCHEMAS = Object.assign({}, ...contributes.configuration.map((part) => part.properties)) as Record<
  string,
  SettingSchema
>;
const LANGUAGES = new Set(['python', 'go']);

const changed = (values: Readonly<Record<string, unknown>>): readonly string[] =>
  changedSettings(SCHEMAS, (name) => values[name] ?? SCHEMAS[name]?.default, LANGUAGES);

function facts(changes: Partial<ReportFacts> = {}): ReportFacts {
  return {
    emberline: '0.1.0',
    editor: { name: 'Code', version: '1.100.0', language: 'en' },
    remote: undefined,
    machine: {
      platform: 'linux',
      architecture: 'x64',
      release: '6.1.0',
      node: '20.17.0',
      processor: 'AMD Ryzen 7',
      cores: 16,
      memoryBytes: 32e9,
      instructionSets: ['avx512', 'avx2'],
    },
    engine: 'ready',
    status: 'ready',
    model: {
      name: 'Emberline 135M',
      architecture: 'llama',
      fileBytes: 85e6,
      parameters: 135e6,
      quantization: 'Q4_1',
      layers: 30,
      width: 576,
      heads: 9,
      kvHeads: 3,
      vocabulary: 49152,
      contextLength: 8192,
      preTokenizer: 'smollm',
      device: 'cpu, avx512, 2 threads',
      deviceReason: '',
      kvCache: 'f16',
      kvCacheReason: '',
      draft: '',
      packedCopy: true,
      heldBytes: 20e6,
      loadMs: 123.4,
    },
    prefillSpeed: 812.3,
    settings: [],
    recent: new RecentEndings(),
    person: PERSON,
    ...changes,
  };
}

describe('a report', () => {
  it('says what helps: versions, the machine, the model, how requests ended', () => {
    const recent = new RecentEndings();
    recent.add('python', nothing('low_confidence'));
    recent.add('python', nothing('low_confidence'));
    recent.add('json', { ...nothing('shown'), source: 'cache', schema: { use: 'bound', detail: SECRET } });
    recent.addError('MODEL_EXCEEDS_MEMORY');
    const report = reportOf(facts({ recent, settings: ['emberline.engine.threads: 2'] }));
    for (const part of [
      'Emberline 0.1.0; Code 1.100.0 (en)',
      'linux x64, 6.1.0; Node 20.17.0',
      'AMD Ryzen 7, 16 cores, 32 GB of memory; avx512, avx2',
      'Emberline 135M: llama, 135M parameters, 30 layers of 576, Q4_1',
      'cpu, avx512, 2 threads',
      '812 tokens/s',
      '- emberline.engine.threads: 2',
      '- python: low_confidence (not_run, none) × 2\n- json: shown (not_run, cache, schema bound)\n',
      'MODEL_EXCEEDS_MEMORY',
    ])
      expect(report).toContain(part);
    expect(report).not.toContain(SECRET);
    expect(reportOf(facts({ model: undefined, engine: 'failed' }))).toContain('no model is loaded');
  });

  it('keeps no text of requests, and not many of them', () => {
    const recent = new RecentEndings();
    for (let count = 0; count < 100; count++) {
      recent.add(`l${count}`, { ...nothing('shown'), text: SECRET });
      recent.addError(`E${count}`);
    }
    expect([recent.endings.length, recent.errors.length]).toEqual([20, 10]);
    expect([recent.endings.at(-1)?.languageId, recent.errors.at(-1)]).toEqual(['l99', 'E99']);
    expect(JSON.stringify(recent.endings)).not.toContain(SECRET);
  });

  it('never says who one is, nor where files are, wherever that came from', () => {
    const path = `${PERSON.home}/clients/acme/model.gguf`;
    const model = facts().model;
    if (model === undefined) expect.fail();
    const report = reportOf(
      facts({
        model: { ...model, name: path, draft: KEY, deviceReason: `cannot open ${path} of ada${SECRET}` },
        machine: { ...facts().machine, processor: `ADA${SECRET}'s machine` },
        settings: [`emberline.x: ${path}`],
      }),
    );
    for (const secret of [SECRET, KEY, 'acme', '/home']) expect(report.toLowerCase()).not.toContain(secret);
    expect(report).toContain('model.gguf');
  });

  it('has the names of settings as they are: what is left out of a known word can be told', () => {
    const settings = ['emberline.completion.maxTokens: 80', 'emberline.model.path: max.gguf'];
    const report = reportOf(facts({ settings, person: { ...PERSON, user: 'max' } }));
    expect(report).toContain('- emberline.completion.maxTokens: 80\n- emberline.model.path: <user>.gguf\n');
  });
});

describe('what is taken out of a text', () => {
  it.each([
    ['/home/eve/models/x.gguf is gone', '…/x.gguf is gone'],
    ['C:\\Users\\Eve\\models\\x.gguf is gone', '…/x.gguf is gone'],
    ['\\\\server\\share\\x.gguf', '…/x.gguf'],
    [`${PERSON.home}/a/b.gguf`, '~/…/b.gguf'],
    [`key ${KEY}.`, 'key <key>.'],
    ['sk-proj-abcdefghijklmnop', '<key>'],
    ['https://eve:pw@mirror.example', 'https://<key>mirror.example'],
    ['/Users/Eve Adams/my models/x.gguf is gone', '…/x.gguf is gone'],
    ['0123456789abcdef0123456789abcdef', '<key>'],
    ['two\nlines', 'two lines'],
  ])('%s', (text, clean) => {
    expect(redacted(text, PERSON)).toBe(clean);
  });

  it('is not what models and devices are called', () => {
    for (const text of [
      'DeepSeek-Coder-V2-Lite-Instruct-Q4_K_M.gguf',
      'cpu, avx512, 2 threads',
      'Qwen2.5-Coder-1.5B',
      'emberline.completion.eagerness: eager',
      'Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz',
    ])
      expect(redacted(text, PERSON)).toBe(text);
  });
});

describe('settings in a report', () => {
  it('are those that differ, as words and numbers of the schema', () => {
    expect(changed({})).toEqual([]);
    expect(
      changed({
        'emberline.enable': false,
        'emberline.completion.eagerness': 'eager',
        'emberline.engine.threads': 3,
        'emberline.onBattery': 'quiet',
        'emberline.model.path': 'D:\\models\\big.gguf',
        'emberline.draft.model': '/srv/models/small-00001-of-00002.gguf',
      }),
    ).toEqual(
      [
        'emberline.enable: false',
        'emberline.onBattery: quiet',
        'emberline.completion.eagerness: eager',
        'emberline.draft.model: small-00001-of-00002.gguf',
        'emberline.model.path: big.gguf',
        'emberline.engine.threads: 3',
      ].toSorted((a, b) => order(a) - order(b)),
    );
  });

  it('say nothing of what somebody wrote there', () => {
    const lines = changed({
      'emberline.model.path': `/srv/${SECRET}`,
      'emberline.draft.model': KEY,
      'emberline.model.mirror': `https://eve:${SECRET}@mirror.example`,
      'emberline.excludedFiles': [SECRET, '*.pem'],
      'emberline.completion.eagerness': SECRET,
      'emberline.languages': { python: false, [SECRET]: true, go: SECRET },
      'emberline.device': { [SECRET]: 1 },
    });
    expect(lines.length).toBe(7);
    expect(lines).toContain('emberline.languages: python false, 1 others');
    expect(lines).toContain('emberline.excludedFiles: 2 entries');
    const said = lines.join('\n');
    expect(said).not.toContain(SECRET);
    expect(said).not.toContain(KEY);
  });
});

/** Where the manifest has the setting of a line. */
const order = (line: string): number => Object.keys(SCHEMAS).indexOf(line.split(':')[0] ?? '');

describe('the page for a new issue', () => {
  it('is that of the repository, where package.json names one', () => {
    const page = 'https://github.com/a/b/issues/new';
    expect(newIssuePage({ repository: { type: 'git', url: 'git+https://github.com/a/b.git' } })).toBe(page);
    expect(newIssuePage({ repository: 'https://github.com/a/b' })).toBe(page);
    expect(newIssuePage({ bugs: { url: 'https://github.com/a/b/issues' } })).toBe(page);
    expect(newIssuePage({})).toBeUndefined();
    expect(newIssuePage({ repository: { url: 'http://github.com/a/b' } })).toBeUndefined();
    expect(newIssuePage({ bugs: { url: 'javascript:alert(1)' }, repository: 3 })).toBeUndefined();
  });
});
