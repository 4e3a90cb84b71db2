/** The values as JSON, one a line. */
export function jsonLines(values: readonly object[]): Uint8Array {
  return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
}
