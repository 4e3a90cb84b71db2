/** German is complete, in package.json and in what the extension says; and nothing is said that could not be. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REASONS } from '../../core/completion/reasons';
import { REMEDIES } from '../../core/completion/remedies';
import { SCHEMA_USES } from '../../core/completion/schema_use';
import { EDIT_ENDINGS } from '../../core/edit/edit_endings';
import { PROBLEMS } from '../../core/edit/soundness';
import { ENDINGS } from '../../core/generate/endings';
import { CATALOGUE } from '../../core/models/catalogue';
import { SCRATCH_COMMENTS } from '../../core/scratch/scratch_text';
import { extensionSources, textsOf } from './texts_of_extension';

const ROOT = join(import.meta.dirname, '..', '..');
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

/** Sentences of closed sets, by the expressions with which the extension has them translated. */
const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  'REASONS[reason]': Object.values(REASONS),
  'REASONS[why]': Object.values(REASONS),
  'REASONS[held]': Object.values(REASONS),
  'REMEDIES[reason]': Object.values(REMEDIES),
  'REMEDIES[held]': Object.values(REMEDIES),
  'SCHEMA_USES[schema.use]': Object.values(SCHEMA_USES),
  'SCHEMA_USES[note.use]': Object.values(SCHEMA_USES),
  // Errors of the engine are sentences of their own, and English.
  'generation.sentence': [...Object.values(ENDINGS), ...Object.values(REASONS)],
  'edit.sentence': [...Object.values(EDIT_ENDINGS), ...Object.values(REASONS)],
  'PROBLEMS[problem]': Object.values(PROBLEMS),
  'model.note': CATALOGUE.map(({ note }) => note),
  line: SCRATCH_COMMENTS,
};

const german = readJson('l10n/bundle.l10n.de.json') as Readonly<Record<string, string>>;
const texts = textsOf(extensionSources());
const used = new Set([...texts.translated.map(({ text }) => text), ...Object.values(SENTENCES).flat()]);

const placeholders = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{\d+\}/g)].map(([one]) => one))].toSorted();

describe('what the extension says', () => {
  it('goes through the editor, which translates it', () => {
    expect(texts.translated.length).toBeGreaterThan(50);
    expect(texts.bare).toEqual([]);
    const unknown = texts.expressions.filter(({ text }) => !(text in SENTENCES));
    expect(unknown).toEqual([]);
    const gone = Object.keys(SENTENCES).filter(
      (name) => !texts.expressions.some(({ text }) => text === name),
    );
    expect(gone).toEqual([]);
  });

  it('is there in German, all of it, and nothing besides', () => {
    expect([...used].filter((text) => !(text in german))).toEqual([]);
    expect(Object.keys(german).filter((text) => !used.has(text))).toEqual([]);
    for (const [text, translation] of Object.entries(german)) expect(translation, text).toMatch(/\S/);
  });

  it('has the same placeholders in German, and a value for each', () => {
    for (const [text, translation] of Object.entries(german))
      expect(placeholders(translation), text).toEqual(placeholders(text));
    for (const { place, text, given } of texts.translated)
      expect(placeholders(text), place).toEqual(Array.from({ length: given }, (_, index) => `{${index}}`));
  });

  it('is found by the test where it bypasses the editor', () => {
    const source = `
      void vscode.window.showInformationMessage('Nothing there', SHOW);
      void vscode.window.showQuickPick(['Keep'], { title: wide ? \`\${a} models\` : 'Emberline', label: '$(flame) Emberline' });
      picker.placeholder = 'Which one?';
      const fine = { title: vscode.l10n.t('Fine {0}', one), icon: 'gear words' };
      vscode.l10n.t(anything);
    `;
    const { bare, translated, expressions } = textsOf(new Map([['x.ts', source]]));
    expect(bare.map(({ text }) => text)).toEqual([
      `'Nothing there'`,
      `'Keep'`,
      '`${a} models`',
      `'Which one?'`,
    ]);
    expect(translated).toEqual([{ place: 'x.ts:5', text: 'Fine {0}', given: 1 }]);
    expect(expressions.map(({ text }) => text)).toEqual(['anything']);
  });
});

describe('what package.json says', () => {
  const manifest = readJson('package.json') as Readonly<Record<string, unknown>>;
  const english = readJson('package.nls.json') as Readonly<Record<string, string>>;
  const inGerman = readJson('package.nls.de.json') as Readonly<Record<string, string>>;

  it('is in package.nls.json, and in German', () => {
    const found = [...shownIn(manifest)];
    expect(found.length).toBeGreaterThan(100);
    const bare = found.filter((text) => !/^%[\w.-]+%$/.test(text) && !SAME_EVERYWHERE.has(text));
    expect(bare).toEqual([]);
    const keys = new Set(found.filter((text) => text.startsWith('%')).map((text) => text.slice(1, -1)));
    expect(Object.keys(english).toSorted()).toEqual([...keys].toSorted());
    expect(Object.keys(inGerman)).toEqual(Object.keys(english));
    for (const [key, text] of Object.entries(inGerman)) expect(text, key).toMatch(/\S/);
  });

  it('has the same settings, commands and code in German', () => {
    const marks = (text: string): string[] =>
      [...text.matchAll(/`[^`]*`|#[\w.]+#|\(command:[^)]*\)|\(https:[^)]*\)/g)]
        .map(([one]) => one)
        .filter((one) => one !== `\`${ASKING_KEY}\``)
        .toSorted();
    for (const [key, text] of Object.entries(english))
      expect(marks(inGerman[key] ?? ''), key).toEqual(marks(text));
  });

  it('calls commands in German what the German menus call them, and the key for asking too', () => {
    const called = Object.keys(english).filter((key) => key.startsWith('command.'));
    const says = (text: string, key: string): boolean => {
      const title = english[key] ?? '';
      // One word may be meant otherwise.
      const sought = title.includes(' ') ? title : `"Emberline: ${title}"`;
      return text.includes(sought) || (key === 'command.trigger' && text.includes(ASKING_KEY));
    };
    const pairs = Object.keys(english).map((key) => [english[key] ?? '', inGerman[key] ?? ''] as const);
    for (const [text, translation] of [...Object.entries(german), ...pairs]) {
      for (const key of called) if (says(text, key)) expect(translation, text).toContain(inGerman[key]);
      expect(translation).not.toContain(ASKING_KEY);
    }
  });
});

/** The editor goes by where a key lies on an American keyboard: on a German one it is no key that is labelled so. */
const ASKING_KEY = 'Alt+\\';
/** Names are the same in every language. */
const SAME_EVERYWHERE = new Set(['Emberline']);
const SHOWN = new Set([
  'title',
  'description',
  'markdownDescription',
  'markdownDeprecationMessage',
  'enumDescriptions',
  'markdownEnumDescriptions',
  'enumItemLabels',
  'category',
  'altText',
]);

/** The texts of a manifest that the user reads. */
function* shownIn(value: unknown, shown = false): Generator<string> {
  if (typeof value === 'string' && shown) yield value;
  if (Array.isArray(value)) for (const one of value) yield* shownIn(one, shown);
  else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) yield* shownIn(one, SHOWN.has(name));
}
