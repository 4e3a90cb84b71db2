/** What Try It promises: in its scratch file a suggestion is certain, as the embedded model has it with the default settings. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEAST_CERTAINTY } from '../../core/completion/certainty';
import { snapshotOfText } from '../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { CompletionPipeline } from '../../core/completion/pipeline';
import { Suggestions } from '../../core/completion/suggestions';
import { Engine } from '../../core/engine/engine';
import { SCRATCH_COMMENTS, SCRATCH_LANGUAGES, scratchText } from '../../core/scratch/scratch_text';
import { ADDON, MODEL, ROOT, valueOf } from './embedded_model';

const GERMAN = JSON.parse(readFileSync(join(ROOT, 'l10n', 'bundle.l10n.de.json'), 'utf8')) as Record<
  string,
  string | undefined
>;

/** As the extension writes them, in the language of the editor. */
function comments(german: boolean, key = 'Ctrl+Right'): readonly string[] {
  const lines = german ? SCRATCH_COMMENTS.map((line) => GERMAN[line] ?? expect.fail(line)) : SCRATCH_COMMENTS;
  return lines.map((line) => line.replace('{0}', key));
}

describe('the scratch file', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = valueOf(await Engine.load({ addonPath: ADDON, modelPath: MODEL, context: 2_048 }));
  });
  afterAll(() => engine.dispose());

  it.each(SCRATCH_LANGUAGES)('has a suggestion that is certain, in %s', async (language) => {
    for (const german of [false, true]) {
      const text = scratchText(language, comments(german));
      const pipeline = new CompletionPipeline(engine, () => DEFAULT_OPTIONS);
      const suggestions = new Suggestions(pipeline, () => DEFAULT_OPTIONS);
      const document = snapshotOfText({
        uri: `untitled:Untitled-${language}`,
        path: 'Untitled-1',
        languageId: language,
        text,
        offset: text.length,
      });
      const {
        shown,
        text: suggested,
        reason,
        certainty,
      } = await suggestions.complete({
        document,
        signal: new AbortController().signal,
      });
      expect([shown, reason], `${language}: ${suggested}`).toEqual([true, 'shown']);
      expect(suggested.trim()).toMatch(/^a \* b;?$/);
      // Even who wants few suggestions has this one.
      expect(certainty).toBeGreaterThan(LEAST_CERTAINTY.quiet);
    }
  });
});
