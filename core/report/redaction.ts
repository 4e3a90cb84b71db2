/** Takes out of a text what a report must not say: who somebody is, where they keep their files, and what looks like a key. */

/** What there is to know about whoever reports. */
export interface Person {
  readonly home: string;
  readonly user: string;
}

/** A shorter name would be found within words. */
const SHORTEST_NAME = 3;
/** Tokens of well-known services, and what is too long and too mixed to be a word. */
const KEYS = [
  /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|glpat|hf|npm|pypi|xox[abprs]|github_pat|AKIA|ASIA|AIza|eyJ)[-_]?[\w-]{12,}(?:\.[\w-]+)*/g,
  /\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{24,}\b/g,
  // The password of an address.
  /(?<=:\/\/)[^\s/@]+@/g,
];
/** Of Linux, macOS and Windows: folders from a root, whosever they are. The last name stays. */
const FOLDERS = /(?:\b[A-Za-z]:|(?<![\w.~:/\\])[\\/]?)(?:[\\/][^\\/,;:"'()]+)+[\\/](?=[^\\/\s])/g;

/** A text from elsewhere, on one line: a path becomes the name of its file. */
export function redacted(text: string, { home, user }: Person): string {
  let clean = text.replaceAll(/\s+/g, ' ').trim();
  if (home.length > 1) clean = replaceAllOf(clean, home, '~');
  clean = clean.replaceAll(FOLDERS, '…/').replaceAll(/~(?:[\\/][^\\/,;:"'()]+)+[\\/](?=[^\\/\s])/g, '~/…/');
  for (const pattern of KEYS) clean = clean.replaceAll(pattern, '<key>');
  return user.length < SHORTEST_NAME ? clean : replaceAllOf(clean, user, '<user>');
}

/** Whatever the case: file systems do not agree on it. */
function replaceAllOf(text: string, sought: string, by: string): string {
  return text.replaceAll(new RegExp(sought.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi'), by);
}
