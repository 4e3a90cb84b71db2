/** Finds the control tokens that a template wrote, so that a prompt can name them by their ids and hold all other text as text. */
import type { NativeResult } from '../engine/native_result';

/** What a model knows of its tokens. */
export interface Vocabulary {
  tokenize(text: string, parseSpecial: boolean): Promise<NativeResult<Uint32Array>>;
  /** The bytes that ids stand for; of a control token, its name. */
  detokenize(ids: Uint32Array): Promise<NativeResult<Uint8Array>>;
}

/** The control tokens in `text`, by name. */
export async function controlTokens(
  vocabulary: Vocabulary,
  text: string,
): Promise<NativeResult<ReadonlyMap<string, number>>> {
  const read = await vocabulary.tokenize(text, true);
  if (!read.ok) return read;
  const spelled = await vocabulary.tokenize(text, false);
  if (!spelled.ok) return spelled;
  // No text spells a control token. What else differs are pieces that a name would have joined.
  const plain = new Set(spelled.value);
  const names = new Map<string, number>();
  for (const id of new Set(read.value)) {
    if (plain.has(id)) continue;
    const bytes = await vocabulary.detokenize(Uint32Array.of(id));
    if (!bytes.ok) return bytes;
    const name = new TextDecoder().decode(bytes.value);
    // Nothing would be found by it.
    if (name === '') continue;
    const asText = await vocabulary.tokenize(name, false);
    if (!asText.ok) return asText;
    if (!(asText.value.length === 1 && asText.value[0] === id)) names.set(name, id);
  }
  return { ok: true, value: names };
}

/** `text` with the tokens of `names` in it as ids: of those that begin at the same place the longest, as the engine reads them. */
export function withIds(text: string, names: ReadonlyMap<string, number>): (string | number)[] {
  const longestFirst = [...names.keys()].toSorted((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return text === '' ? [] : [text];
  const anyName = new RegExp(`(${longestFirst.map(literally).join('|')})`);
  return text
    .split(anyName)
    .filter((part) => part !== '')
    .map((part) => names.get(part) ?? part);
}

/** As a regular expression that finds it. */
function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
