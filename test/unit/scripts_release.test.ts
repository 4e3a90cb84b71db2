/** What a release is published with: its notes, and checksums that anybody can check. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { sectionOf } from '../../scripts/changelog.mjs';
import { checksums } from '../../scripts/checksums.mjs';
import { manifest, ROOT } from '../../scripts/paths.mjs';
import { publishedManifest, publishedRepository } from '../../scripts/published_manifest.mjs';
import { materials, materialsOf } from '../../scripts/sbom/materials.mjs';
import { temporaryFolder } from '../temporary_folder';

describe('the notes of a release', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n- new\n\n## [1.2.0] - 2026-01-01\n\n- b\n\n### c\n\n## [1.1.0]\n';

  it('are the section of its version, to the next one', () => {
    expect(sectionOf(changelog, '1.2.0')).toBe('- b\n\n### c');
    expect(sectionOf(changelog, '1.1.0')).toBeUndefined();
    expect(sectionOf(changelog, '1.2')).toBeUndefined();
  });

  it('are there for the version of package.json', () => {
    expect(sectionOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), manifest().version)).toBeDefined();
  });
});

describe('the checksums', () => {
  it('are of packages and their bills of materials, as sha256sum reads them', () => {
    const folder = temporaryFolder();
    for (const name of ['b.vsix', 'b.cdx.json', 'a.vsix', 'notes.md'])
      writeFileSync(join(folder, name), name);
    const text = checksums(folder);
    expect(text.split('\n').map((line) => line.slice(66))).toEqual(['a.vsix', 'b.cdx.json', 'b.vsix', '']);
    writeFileSync(join(folder, 'SHA256SUMS'), text);
    if (process.platform === 'linux')
      expect(execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder }).toString()).toContain(
        'a.vsix: OK',
      );
  });
});

describe('the manifest that is published', () => {
  const text = readFileSync(join(ROOT, 'package.json'), 'utf8');

  it('names the repository that it is published from, and says all else as it was', () => {
    const published = JSON.parse(publishedManifest(text, 'https://github.com/a/b')) as Record<
      string,
      unknown
    >;
    expect(published).toEqual({
      ...(JSON.parse(text) as object),
      repository: { type: 'git', url: 'https://github.com/a/b.git' },
      homepage: 'https://github.com/a/b#readme',
      bugs: { url: 'https://github.com/a/b/issues' },
      qna: 'https://github.com/a/b/discussions',
    });
    expect(published['galleryBanner']).toMatchObject({ theme: 'dark' });
  });

  it('names none where nobody publishes it, and refuses what is no address', () => {
    vi.stubEnv('EMBERLINE_REPOSITORY', '');
    expect(publishedRepository()).toBeUndefined();
    vi.stubEnv('EMBERLINE_REPOSITORY', 'https://github.com/a/b');
    expect(publishedRepository()).toBe('https://github.com/a/b');
    vi.stubEnv('EMBERLINE_REPOSITORY', 'github.com/a/b');
    expect(publishedRepository).toThrow('EMBERLINE_REPOSITORY');
    vi.unstubAllEnvs();
  });
});

describe('the notices', () => {
  it('have the text of each licence that asks for it', () => {
    for (const { name, license = '', text, ancestor } of materials()) {
      const exempt = license.includes('-exception') || ancestor === true || license === '';
      expect(text !== undefined, name).toBe(!exempt);
      expect(text ?? '', name).not.toContain('<year>');
    }
  });

  it('leave out what is in no package for a platform', () => {
    const names = (...of: Parameters<typeof materialsOf>): string[] =>
      materialsOf(...of).map(({ name }) => name);
    expect(names('gcc', 'linux-x64')).toContain('libstdc++');
    expect(names('zig', 'win32-arm64')).toEqual(expect.arrayContaining(['libc++', 'mingw-w64-runtime']));
    expect(names('zig', 'alpine-x64')).not.toContain('mingw-w64-runtime');
    expect(names('apple', 'darwin-arm64').filter((name) => /c\+\+/i.test(name))).toEqual([]);
  });
});
