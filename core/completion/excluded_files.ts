/** Files that are left alone because of their name. */
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

/** True when `path` (forward slashes) is that of a file to leave alone; `patterns` as path_patterns.ts has them. */
export function isExcluded(path: string, patterns: readonly string[]): boolean {
  return matchesAny(path, patterns);
}
