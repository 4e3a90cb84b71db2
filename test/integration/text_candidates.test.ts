/** Several texts by the embedded model for one cursor: different ones, each whole, and one that is otherwise. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OneEngine } from '../../core/completion/asking';
import { type DocumentSnapshot, snapshotOfText } from '../../core/completion/document';
import type { GenerationEngine } from '../../core/completion/engine_port';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { PromptWriter } from '../../core/completion/prompt_writer';
import { Engine } from '../../core/engine/engine';
import { askedAgain } from '../../core/generate/asked_again';
import { TextCandidates } from '../../core/generate/text_candidates';
import { type MadeText, TextMaker } from '../../core/generate/text_maker';
import { ADDON, DEVICE, MODEL, valueOf } from './embedded_model';

let engine: Engine;
let maker: TextMaker;

beforeAll(async () => {
  engine = valueOf(await Engine.load({ addonPath: ADDON, modelPath: MODEL, device: DEVICE }));
  maker = new TextMaker({
    asking: new OneEngine<GenerationEngine>(engine, new PromptWriter(engine)),
    options: () => ({ ...DEFAULT_OPTIONS, maxTokens: 48 }),
    beside: () => [],
  });
});
afterAll(() => engine.dispose());

const NEVER = new AbortController().signal;

/** At the `|`. */
function placeAt(marked: string): DocumentSnapshot {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  return snapshotOfText({ uri: 'u', path: 'a.py', languageId: 'python', text, offset });
}

async function others(document: DocumentSnapshot, first: MadeText): Promise<readonly string[]> {
  const candidates = new TextCandidates(maker, { document });
  candidates.begin(first);
  const texts: string[] = [];
  for (;;) {
    const made = await candidates.next(NEVER);
    if (made === undefined) return texts;
    expect(made.whole).toBe(true);
    texts.push(made.text);
  }
}

it.each([
  ['lines', 'def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):|'],
  ['the rest of a line', 'def area(width, height):\n    return max(|)\n'],
])('offers %s, and two others that differ in more than blanks', async (_, marked) => {
  const document = placeAt(marked);
  const pieces: string[] = [];
  const first = await maker.make(document, { signal: NEVER, onText: (piece) => pieces.push(piece) });
  expect(first.whole).toBe(true);
  expect(pieces.join('')).toBe(first.text);
  const texts = [first.text, ...(await others(document, first))];
  expect(texts).toHaveLength(3);
  expect(new Set(texts.map((text) => text.replace(/\s/g, ''))).size).toBe(3);
  for (const text of texts) expect(text.trim()).not.toBe('');
});

it('has a text again, but otherwise: another one than that which the model read', async () => {
  const document = placeAt('def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):|');
  const first = await maker.make(document, { signal: NEVER });
  const reads = askedAgain(document, first, 'with a docstring');
  const again = await new TextCandidates(maker, { document, reads }, first.text).next(NEVER);
  expect(again?.whole).toBe(true);
  expect(again?.text).toMatch(/^\n {4}\S/);
  expect(again?.text.replace(/\s/g, '')).not.toBe(first.text.replace(/\s/g, ''));
});

it('is cancelled, and goes on where it was', async () => {
  const document = placeAt('def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):|');
  const first = await maker.make(document, { signal: NEVER });
  const candidates = new TextCandidates(maker, { document });
  candidates.begin(first);
  expect((await candidates.next(AbortSignal.abort()))?.whole).toBe(false);
  const other = await candidates.next(NEVER);
  expect(other?.text).not.toBe(first.text);
  expect(other?.text).toBe((await others(document, first))[0]);
});
