/** What holds of all that is shown, whatever the document and whatever the model says: nothing is lost, and nothing left open that was not. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unpaired } from '../../core/completion/brackets';
import { type DocumentSnapshot, lineAfter, lineBefore } from '../../core/completion/document';
import { fitToLine } from '../../core/completion/fit';
import { postprocess } from '../../core/completion/postprocess';
import type { Stop } from '../../core/completion/stop';
import { partsOf } from '../../core/completion/sure_part';
import { GeneratedText } from '../../core/generate/generated_text';
import { codeLine, codeText, cursor, holds, isWholeText, RUNS, snapshotAt } from './random_documents';

const stops = fc.constantFrom<Stop>('line_end', 'end_token', 'max_tokens');

/** As a model that closes what it opens, and what the document has open, or does not. */
const suggestionIn = ({ before, after }: { before: string; after: string }): fc.Arbitrary<string> => {
  const right = (after.split('\n', 1)[0] ?? '').trimEnd();
  const left = before.slice(before.lastIndexOf('\n') + 1);
  return fc.oneof(
    codeText(12),
    codeLine(8).map((text) => text + right),
    codeLine(4).map((text) => right + text),
    fc.tuple(codeLine(4), codeLine(4)).map(([one, two]) => one + right + two),
    fc.constant(left.trim()),
  );
};

const places = cursor(24).chain((at) => fc.record({ at: fc.constant(at), raw: suggestionIn(at) }));

function generated(document: DocumentSnapshot, pieces: readonly string[]): string {
  const text = new GeneratedText(document);
  let inserted = '';
  for (const piece of pieces) if (!text.over) inserted += text.add(piece);
  return inserted + text.end();
}

describe('what is shown', () => {
  it('says again all that it replaces, is one line, and cuts no character', () => {
    fc.assert(
      fc.property(places, stops, fc.boolean(), ({ at, raw }, stop, readsLine) => {
        const document = snapshotAt(at);
        const { text, replace, reason } = postprocess(raw, stop, document, readsLine);
        const right = lineAfter(document);
        expect(replace).toBeLessThanOrEqual(right.length);
        expect(holds(text, right.slice(0, replace))).toBe(true);
        expect(text).not.toMatch(/[\r\n]/);
        if (reason === undefined) expect(text.trim()).not.toBe('');
        expect(isWholeText(text, raw)).toBe(true);
      }),
      RUNS,
    );
  });

  it('leaves no bracket and no quote alone on a line that goes on behind the cursor, where none was', () => {
    let fitted = 0;
    fc.assert(
      fc.property(places, fc.boolean(), ({ at, raw }, between) => {
        const document = snapshotAt(at);
        const [left, right] = [lineBefore(document), lineAfter(document)];
        const line = raw.split(/[\r\n]/, 1)[0] ?? '';
        fc.pre(right.trim() !== '' && unpaired(left + right) === 0);
        const fit = fitToLine(line, { left, right, between });
        if (fit.kind !== 'insert') return;
        fitted++;
        const whole = left + fit.text + right.slice(fit.replace);
        expect(unpaired(whole), JSON.stringify({ left, line, right, fit })).toBe(0);
      }),
      { ...RUNS, maxSkipsPerRun: 1_000 },
    );
    expect(fitted).toBeGreaterThan(20);
  });

  it('in part ends behind a whole word and a closed bracket', () => {
    let parts = 0;
    fc.assert(
      fc.property(codeLine(), codeLine(), (line, head) => {
        for (const length of partsOf(line, head)) {
          parts++;
          const part = line.slice(0, length);
          expect(unpaired(part)).toBe(0);
          expect(isWholeText(part, line)).toBe(true);
          expect(`${part.slice(-1)}|${line.slice(length, length + 1)}`).not.toMatch(/^\w\|\w$/);
        }
      }),
      RUNS,
    );
    expect(parts).toBeGreaterThan(20);
  });

  it('of several lines is the same in whatever pieces it comes, and has what the model said in its order', () => {
    fc.assert(
      fc.property(cursor(24), fc.array(codeText(6), { maxLength: 6 }), (at, pieces) => {
        const document = snapshotAt(at);
        const raw = pieces.join('');
        const whole = generated(document, [raw]);
        expect(generated(document, pieces)).toBe(whole);
        expect(generated(document, raw.split(''))).toBe(whole);
        const visible = (text: string): string => text.replace(/\s/g, '');
        expect(visible(raw).startsWith(visible(whole))).toBe(true);
        expect(whole).not.toMatch(/\r|[ \t]$/m);
      }),
      RUNS,
    );
  });
});
