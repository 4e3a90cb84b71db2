/** Why something broke, as whoever threw it says. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection broke';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message === '' ? code || 'the connection broke' : error.message;
}
