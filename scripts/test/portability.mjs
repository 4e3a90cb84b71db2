import { checkPortability } from '../check_portability.mjs';
import { sum } from '../counts.mjs';
import { run } from '../processes.mjs';
import { FOR_BUILDING, FOR_NATIVE_TESTS, FOR_PORTABILITY } from '../setup/debian_packages.mjs';
import { check } from './checks.mjs';

/**
 * Older processors, older Linux systems, Windows.
 * @type {import('./stage.mjs').Stage}
 */
export const portability = {
  name: 'portability',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_PORTABILITY],
  needs: ['addon', 'nativeTests'],
  deep: true,
  platform: 'linux-x64',
  run: async (progress) => {
    const symbols = await check(progress, 'symbol versions of the addon', (log) =>
      run(process.execPath, ['scripts/check_symbol_versions.mjs'], {
        log,
        failure: 'the addon needs newer libraries than the oldest system it is meant for.',
      }),
    );
    const rows = await checkPortability(progress);
    return sum([symbols, ...rows]);
  },
};
