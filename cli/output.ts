/** Standard output: results alone. */

/** As it is, without a line break. */
export function printText(text: string): void {
  process.stdout.write(text);
}

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  printLine(JSON.stringify(value));
}

/** A reader that has seen enough (`… | head`) is no failure. */
export function endQuietlyOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}
