/** The extension's version, as its package.json says; empty where it does not. */
export function versionOf(manifest: unknown): string {
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
  return typeof version === 'string' ? version : '';
}
