/** Maps that keep what was put in last. */

/** Puts in an entry, as the last one; of more than `most` the first one goes. */
export function putLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [first] = map.keys();
  if (map.size > most && first !== undefined) map.delete(first);
}
