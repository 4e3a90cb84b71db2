/** The tables behind \p{...} in regular expressions. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

describe('the table of Unicode properties', () => {
  it('is what its script writes', () => {
    const script = fileURLToPath(new URL('../../scripts/generate_unicode_properties.mjs', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    // Another version of Node.js may know another Unicode; then the script must refuse.
    const sameVersion = process.versions['unicode'] === '17.0';
    expect(stderr).toMatch(sameVersion ? /^$/ : /Unicode 17\.0 is needed/);
    expect(status).toBe(sameVersion ? 0 : 1);
  });
});
