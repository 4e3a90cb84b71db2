/** The values as JSON, one a line. */
export function jsonLines(values: readonly object[]): Uint8Array {
  return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
}

/** The values that a text has as JSON, one a line; blank lines are passed over. */
export function parsedLines(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as unknown);
}
