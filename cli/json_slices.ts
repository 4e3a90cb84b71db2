/** The parts of a JSON text as they were written: parsing would lose how numbers are spelt, and put some members in another order. */
import { type Node, parseTree } from 'jsonc-parser';

/** The raw texts of an array's items; undefined for anything else. `json` is valid JSON. */
export function itemSlices(json: string): string[] | undefined {
  const tree = parseTree(json);
  return tree?.type === 'array' ? (tree.children ?? []).map((item) => textOf(item, json)) : undefined;
}

/** The raw texts of an object's values by their keys, of equal keys the last; undefined for anything else. */
export function memberSlices(json: string): Map<string, string> | undefined {
  const tree = parseTree(json);
  if (tree?.type !== 'object') return undefined;
  return new Map(
    (tree.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      key === undefined || value === undefined ? [] : [[key.value as string, textOf(value, json)]],
    ),
  );
}

function textOf({ offset, length }: Node, json: string): string {
  return json.slice(offset, offset + length);
}
