/** Several edits by the embedded model for one instruction: different ones, each of which can be made. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EditCandidates } from '../../core/edit/edit_candidates';
import type { EditRequest } from '../../core/edit/edit_proposal';
import { applied } from '../../core/edit/line_edit';
import { Engine } from '../../core/engine/engine';
import { ADDON, DEVICE, MODEL, render, valueOf } from './embedded_model';

let engine: Engine;

beforeAll(async () => {
  engine = valueOf(await Engine.load({ addonPath: ADDON, modelPath: MODEL, device: DEVICE }));
});
afterAll(() => engine.dispose());

const REQUEST: EditRequest = {
  instruction: 'add a docstring',
  text: 'def half(number):\n    return number / 2\n',
  languageId: 'python',
  first: 1,
  last: 2,
  adds: false,
  unit: '    ',
};

const DOCUMENTED = /^def half\(number\):\n {4}"""[A-Z][^\n]*\."""\n {4}return number \/ 2\n$/;

/** What is proposed, one after the other, until there is no more. */
async function resultsOf(request: EditRequest): Promise<readonly string[]> {
  const search = new EditCandidates({ engine, render }, request);
  const results: string[] = [];
  for (;;) {
    const proposal = await search.next(new AbortController().signal);
    if (proposal.ending !== 'proposed') {
      expect(proposal.ending, proposal.sentence).toBe('no_other');
      search.close();
      return results;
    }
    results.push(applied(request.text, proposal.replacements));
  }
}

it('offers three docstrings', async () => {
  const results = await resultsOf(REQUEST);
  expect(new Set(results).size).toBe(3);
  for (const result of results) expect(result).toMatch(DOCUMENTED);
});

it('offers one rename, which leaves no choice', async () => {
  expect(await resultsOf({ ...REQUEST, instruction: 'rename number to value' })).toEqual([
    'def half(value):\n    return value / 2\n',
  ]);
});

it('has a docstring again, but otherwise', async () => {
  const { signal } = new AbortController();
  const search = new EditCandidates({ engine, render }, REQUEST);
  const first = await search.next(signal);
  search.close();
  const earlier = [{ instruction: REQUEST.instruction, answer: first.answer ?? '' }];
  const again = new EditCandidates(
    { engine, render },
    { ...REQUEST, instruction: 'shorter', earlier },
    first,
  );
  const other = await again.next(signal);
  again.close();
  expect(other.ending, other.sentence).toBe('proposed');
  expect(applied(REQUEST.text, other.replacements)).toMatch(DOCUMENTED);
  expect(other.answer).not.toBe(first.answer);
});
