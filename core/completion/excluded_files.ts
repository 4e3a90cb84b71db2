/** Files that are left alone because of their name. */
import type { DocumentSnapshot } from './document';
import { matchesAny } from './path_patterns';

/** Names that usually hold secrets; the default of the setting emberline.excludedFiles. */
export const SECRET_FILES: readonly string[] = [
  '.env',
  '.env.*',
  '*.env',
  '*.pem',
  '*.key',
  '*.pfx',
  '*.p12',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.htpasswd',
  '.git-credentials',
  '**/.aws/credentials',
  '**/.kube/config',
  '**/.docker/config.json',
];

/**
 * True for a file to leave alone; `patterns` as path_patterns.ts has them. The path within the workspace alone would not tell of the folders
 * above it, nor the whole path of where the workspace begins.
 */
export function isExcluded(
  { path, fullPath }: Pick<DocumentSnapshot, 'path' | 'fullPath'>,
  patterns: readonly string[],
): boolean {
  // In the address of a file of Windows a slash stands in front of the drive, where nobody writes one.
  const whole = fullPath.replace(/^\/(?=[a-z]:)/i, '');
  return [path, fullPath, whole].some((one) => matchesAny(one, patterns));
}
