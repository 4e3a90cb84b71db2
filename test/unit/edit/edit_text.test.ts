import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EDIT_ENDINGS } from '../../../core/edit/edit_endings';
import { PROBLEMS, type Problem } from '../../../core/edit/soundness';
import { editText } from '../../../extension/edit/edit_text';
import { l10n } from '../vscode_stub';

const BUNDLE = join(import.meta.dirname, '..', '..', '..', 'l10n', 'bundle.l10n.de.json');
const german = JSON.parse(readFileSync(BUNDLE, 'utf8')) as Readonly<Record<string, string>>;

describe('what is said of an edit', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('is its sentence, and what it would break', () => {
    expect(editText({ sentence: EDIT_ENDINGS.cut })).toBe(EDIT_ENDINGS.cut);
    expect(editText({ sentence: EDIT_ENDINGS.unsound, problem: 'unclosed' })).toBe(
      `${EDIT_ENDINGS.unsound} (It has brackets or quotes that do not close.)`,
    );
  });

  it('is in the language of the editor, all of it', () => {
    vi.spyOn(l10n, 't').mockImplementation((text) => german[text as string] ?? 'English');
    for (const problem of Object.keys(PROBLEMS) as Problem[])
      expect(editText({ sentence: EDIT_ENDINGS.unsound, problem })).toBe(
        `${german[EDIT_ENDINGS.unsound]} (${german[PROBLEMS[problem]]})`,
      );
  });
});
