/** The parts of a JSON text as they were written: parsing would lose how numbers are spelt, and put some members in another order. */

/** The raw texts of an array's items; undefined for anything else. `json` is valid JSON. */
export function itemSlices(json: string): string[] | undefined {
  const text = json.trim();
  return text.startsWith('[') ? slices(text) : undefined;
}

/** The raw texts of an object's values by their keys, of equal keys the last; undefined for anything else. */
export function memberSlices(json: string): Map<string, string> | undefined {
  const text = json.trim();
  if (!text.startsWith('{')) return undefined;
  return new Map(
    slices(text).map((member) => {
      const colon = endOfString(member, 0);
      return [
        JSON.parse(member.slice(0, colon)) as string,
        member.slice(member.indexOf(':', colon) + 1).trim(),
      ];
    }),
  );
}

/** What stands between the commas of an object or array, trimmed. */
function slices(text: string): string[] {
  const parts: string[] = [];
  let begin = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === '{' || character === '[') depth++;
    const closes = character === '}' || character === ']';
    if (closes) depth--;
    if ((character === ',' && depth === 1) || (closes && depth === 0)) {
      parts.push(text.slice(begin, at).trim());
      begin = at + 1;
    }
  }
  return parts.length === 1 && parts[0] === '' ? [] : parts;
}

/** Behind the string that begins at `at`. */
function endOfString(text: string, at: number): number {
  let end = at + 1;
  while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end + 1;
}
