import { checkArm } from '../check_arm.mjs';
import { FOR_ARM, FOR_BUILDING, FOR_NATIVE_TESTS } from '../setup/debian_packages.mjs';
import { sum } from './counts.mjs';

/**
 * 64-bit Arm processors, emulated.
 * @type {import('./stage.mjs').Stage}
 */
export const arm = {
  name: 'arm',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_ARM],
  needs: ['armTests'],
  deep: true,
  platform: 'linux-x64',
  run: async (progress) => {
    const rows = await checkArm(progress);
    return sum(
      rows.map(({ name, passed, failed }) => ({
        passed,
        failed,
        skipped: 0,
        failures: failed > 0 ? [`arm: ${failed} of ${name}`] : [],
      })),
    );
  },
};
