import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.mjs';
import { TOOLS } from '../paths.mjs';
import { run } from '../processes.mjs';
import { inStaging } from './tool_folder.mjs';

/** Its musl reads packed relative relocations, as those before 1.2.4 do not: today's libraries for Alpine have them. */
const SUITE = 'trixie';
const ARCHITECTURES = /** @type {const} */ ({
  x64: { debian: 'amd64', loader: 'ld-musl-x86_64.so.1' },
  arm64: { debian: 'arm64', loader: 'ld-musl-aarch64.so.1' },
});
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * Fetches musl, the C library of Alpine, for both architectures with apt, once: from a Debian that may be newer than the one that
 * runs, with lists and a cache of its own, so that nothing of this system changes.
 * @param {import('../progress.mjs').Progress} progress
 * @returns {Promise<(architecture: keyof typeof ARCHITECTURES) => string>} the path of an architecture's loader
 */
export async function ensureMusl(progress) {
  const folder = join(TOOLS, `musl-${SUITE}`);
  if (!existsSync(folder))
    await progress.step('fetch musl', (log) =>
      inStaging(TOOLS, async (staging) => {
        await fetchInto(staging, log);
        renameSync(staging, folder);
      }),
    );
  return (architecture) => {
    const { debian, loader } = ARCHITECTURES[architecture];
    return join(folder, debian, 'usr', 'lib', loader);
  };
}

/**
 * @param {string} folder
 * @param {string} log
 */
async function fetchInto(folder, log) {
  const state = join(folder, 'apt');
  mkdirSync(join(state, 'lists', 'partial'), { recursive: true });
  writeFileSync(join(state, 'sources.list'), `deb [signed-by=${KEYRING}] ${mirror()} ${SUITE} main\n`);
  const options = {
    log,
    failure: 'musl could not be fetched: apt-get failed; it needs a mirror of Debian.',
  };
  for (const { debian, loader } of Object.values(ARCHITECTURES)) {
    const place = join(folder, debian);
    mkdirSync(place);
    const settings = [
      `APT::Architecture=${debian}`,
      `APT::Architectures::=${debian}`,
      `APT::Sandbox::User=${process.getuid?.() === 0 ? 'root' : ''}`,
      `Dir::State::Lists=${join(state, 'lists')}`,
      `Dir::Cache=${state}`,
      `Dir::Etc::SourceList=${join(state, 'sources.list')}`,
      'Dir::Etc::SourceParts=/dev/null',
    ].flatMap((setting) => ['-o', setting]);
    await run('apt-get', [...settings, 'update'], options);
    await run('apt-get', [...settings, 'download', 'musl'], { ...options, cwd: place });
    for (const archive of readdirSync(place)) {
      await run('dpkg-deb', ['-x', join(place, archive), place], options);
      rmSync(join(place, archive));
    }
    if (!existsSync(join(place, 'usr', 'lib', loader)))
      throw new Failure(`The package musl for ${debian} has no ${loader}.`, log);
  }
  rmSync(state, { recursive: true });
}

/** The mirror of Debian that this system uses. */
function mirror() {
  const { stdout } = spawnSync(
    'apt-get',
    ['indextargets', '--format', '$(REPO_URI) $(SUITE)', 'Created-By: Packages', 'Origin: Debian'],
    { encoding: 'utf8' },
  );
  const main = (stdout ?? '')
    .split('\n')
    .find((line) => !/-(security|updates|backports)$/.test(line) && line !== '');
  const address = main?.split(' ')[0];
  if (address === undefined)
    throw new Failure('apt knows no mirror of Debian; run `apt-get update` on a Debian, then try again.');
  return address;
}
