/** Settings that differ from their defaults, as a report may say them: no text of anybody's own. */
import { posix, win32 } from 'node:path';

/** As package.json describes a setting. */
export interface SettingSchema {
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
}

/** Settings that hold the path of a model. */
const MODEL_PATHS = new Set(['emberline.model.path', 'emberline.draft.model']);
const LANGUAGES = 'emberline.languages';

/**
 * One line a setting.
 * @param valueOf What holds for the name of a setting.
 * @param known Identifiers of languages that the editor has; others are somebody's own words.
 */
export function changedSettings(
  schemas: Readonly<Record<string, SettingSchema>>,
  valueOf: (name: string) => unknown,
  known: ReadonlySet<string>,
): readonly string[] {
  return Object.entries(schemas).flatMap(([name, schema]) => {
    const value = valueOf(name);
    const same = value === undefined || JSON.stringify(value) === JSON.stringify(schema.default);
    return same ? [] : [`${name}: ${sayable(name, value, schema, known)}`];
  });
}

function sayable(name: string, value: unknown, schema: SettingSchema, known: ReadonlySet<string>): string {
  if (typeof value === 'boolean' || typeof value === 'number' || value === null) return String(value);
  if (typeof value === 'string') {
    if (schema.enum?.includes(value) === true) return value;
    return MODEL_PATHS.has(name) ? fileName(value) : 'set';
  }
  if (Array.isArray(value)) return `${value.length} entries`;
  return name === LANGUAGES && typeof value === 'object' ? languages(value, known) : 'set';
}

/** What is no file of a model could be anything. */
function fileName(path: string): string {
  const name = win32.basename(posix.basename(path.trim()));
  return /^[\w. -]+\.gguf$/i.test(name) ? name : 'set';
}

function languages(value: object, known: ReadonlySet<string>): string {
  const entries = Object.entries(value).filter(([, on]) => typeof on === 'boolean');
  const named = entries.filter(([id]) => id === '*' || known.has(id)).map(([id, on]) => `${id} ${on}`);
  const others = entries.length - named.length;
  return [...named, ...(others === 0 ? [] : [`${others} others`])].join(', ');
}
