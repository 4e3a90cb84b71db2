/** Files that are left alone because of their name. */

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
 * True when `path` (forward slashes) matches one of the patterns: `*` and `?` stay within a name, `**` crosses folders, `{a,b}` is a
 * choice. A pattern without a slash is compared with the file's name alone. Case does not matter.
 */
export function isExcluded(path: string, patterns: readonly string[]): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return patterns.some((pattern) => expressionOf(pattern).test(pattern.includes('/') ? path : name));
}

const compiled = new Map<string, RegExp>();

function expressionOf(pattern: string): RegExp {
  let expression = compiled.get(pattern);
  if (expression === undefined) {
    expression = compile(pattern);
    compiled.set(pattern, expression);
  }
  return expression;
}

function compile(pattern: string): RegExp {
  let source = '';
  let choices = 0;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? '';
    if (pattern.startsWith('**/', at)) {
      source += '(?:.*/)?';
      at += 2;
    } else if (pattern.startsWith('**', at)) {
      source += '.*';
      at += 1;
    } else if (character === '*') {
      source += '[^/]*';
    } else if (character === '?') {
      source += '[^/]';
    } else if (character === '{') {
      source += '(?:';
      choices++;
    } else if (character === '}' && choices > 0) {
      source += ')';
      choices--;
    } else if (character === ',' && choices > 0) {
      source += '|';
    } else {
      source += character.replace(/[.+^$()|[\]\\{}]/, '\\$&');
    }
  }
  return new RegExp(`^/?${source}${')'.repeat(choices)}$`, 'i');
}
