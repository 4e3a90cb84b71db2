import { inByteLetters, type Vocabulary } from '../../bench/synthetic/vocabulary';

/**
 * The first tokens of a byte-level BPE vocabulary, and with them some texts that are a token each there, as they are here: of the merges that lead to one
 * none is missing, and the others that are left are tried in the same order.
 * @param first How many tokens stay as they are; the bytes and control tokens are among them.
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
