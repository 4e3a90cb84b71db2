import { inByteLetters, type Vocabulary } from '../../bench/synthetic/vocabulary';

/**
 * The first tokens of a byte-level BPE vocabulary and those of some texts, with all merges that lead to them, in their order: a text that is one token
 * there is one here.
 * @param first How many of the first tokens; the control tokens, the bytes and what the others are merged of are among them.
 * @param texts A token each.
 */
export function smallerVocabulary(
  { tokens, types, merges }: Vocabulary,
  first: number,
  texts: readonly string[],
): Vocabulary {
  const parts = new Map<string, [left: string, right: string][]>();
  for (const merge of merges) {
    const [left = '', right = ''] = merge.split(' ');
    parts.set(left + right, [...(parts.get(left + right) ?? []), [left, right]]);
  }
  const kept = new Set(tokens.slice(0, first));
  const keep = (token: string): void => {
    if (kept.has(token)) return;
    kept.add(token);
    for (const pair of parts.get(token) ?? []) pair.forEach(keep);
  };
  texts.map(inByteLetters).forEach(keep);
  const ids = tokens.flatMap((token, id) => (kept.has(token) ? [id] : []));
  return {
    tokens: ids.map((id) => tokens[id] ?? ''),
    types: ids.map((id) => types[id] ?? 0),
    merges: merges.filter((merge) =>
      [...merge.split(' '), merge.replace(' ', '')].every((part) => kept.has(part)),
    ),
  };
}
