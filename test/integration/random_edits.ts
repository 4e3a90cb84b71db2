/** Edits of random documents by whatever model is loaded: what it answers can be applied, and leaves other lines as they are. */
import { expect } from 'vitest';
import { SeededRandom } from '../../bench/random';
import { firstEdit } from '../../bench/first_edit';
import type { EditRequest } from '../../core/edit/edit_proposal';
import { applied } from '../../core/edit/line_edit';
import { linesOf } from '../../core/edit/text_lines';
import type { Engine } from '../../core/engine/engine';
import { render } from './embedded_model';

const INSTRUCTIONS = [
  'rename x to value',
  'rename name to title',
  'add a parameter limit',
  'add a docstring',
  'make it shorter',
  'add a comment',
  'return the result',
  'remove the second line',
  'sort the lines',
  'use double quotes',
];
const LINES = [
  'x = 1',
  'name = "Zoë 😀"',
  'def f(x, name):',
  '    return x',
  '\treturn name',
  'const x = `${name}`;',
  '',
  '  ',
  'function g(x) {',
  '}',
  '# x: a comment — with a dash',
  '// name',
  "s = 'it\\'s'",
  '    a[0] += x  ',
  '日本語 = x',
  '"key": [x],',
];

/** What an edit must never touch: the lines around the selection, and the line breaks of all that stay. */
export function expectUntouched(request: EditRequest, result: string): void {
  const before = linesOf(request.text);
  const after = linesOf(result);
  const head = before.slice(0, request.first - 1);
  const tail = before.slice(request.last);
  const whole = (lines: typeof before): string =>
    lines.map(({ text, lineBreak }) => text + lineBreak).join('');
  expect(whole(after.slice(0, head.length)).trimEnd()).toBe(whole(head).trimEnd());
  expect(tail.length === 0 ? '' : whole(after.slice(after.length - tail.length))).toBe(whole(tail));
}

/** Proposes as many edits, the same each time. */
export async function expectRandomEditsApply(engine: Engine, edits: number): Promise<void> {
  const random = new SeededRandom(2_024);
  const pick = <T>(choices: readonly T[]): T => choices[random.below(choices.length)] as T;
  const endings = new Map<string, number>();
  let offered = 0;
  for (let round = 0; round < edits; round++) {
    const lineBreak = pick(['\n', '\r\n']);
    const count = 2 + random.below(8);
    const lines = Array.from({ length: count }, () => pick(LINES));
    const text = lines.join(lineBreak) + (random.below(2) === 0 ? lineBreak : '');
    const first = 1 + random.below(count);
    const last = Math.min(count, first + random.below(4));
    const request: EditRequest = {
      instruction: pick(INSTRUCTIONS),
      text,
      languageId: pick(['python', 'typescript', 'plaintext']),
      first,
      last,
      adds: random.below(8) === 0,
      unit: pick(['  ', '    ', '\t']),
    };
    const { ending, replacements, completion } = await firstEdit({ engine, render }, request);
    endings.set(ending, (endings.get(ending) ?? 0) + 1);
    // What a grammar ended is an edit, if one that changes nothing.
    if (completion !== undefined) {
      expect(['proposed', 'unchanged', 'unsound', 'cut'], ending).toContain(ending);
      const whole = completion.grammarEnded && completion.stop !== 'max_tokens';
      if (!request.adds) expect(ending === 'cut', completion.text).toBe(!whole);
    }
    if (ending !== 'proposed') continue;
    offered++;
    const result = applied(text, replacements);
    expect(result).not.toBe(text);
    if (!request.adds) expectUntouched(request, result);
    if (lines.length > 1) expect(result.replaceAll(lineBreak, '')).not.toMatch(/[\r\n]/);
  }
  process.stdout.write(
    `${edits} edits: ${offered} change something; ${JSON.stringify(Object.fromEntries(endings))}\n`,
  );
  expect(offered).toBeGreaterThan(edits / 4);
  expect(endings.get('cut') ?? 0).toBeLessThan(edits / 20);
}
