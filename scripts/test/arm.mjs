import { checkArm } from '../check_arm.mjs';
import { sum } from '../counts.mjs';
import { FOR_ARM, FOR_BUILDING, FOR_NATIVE_TESTS } from '../setup/debian_packages.mjs';

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
  run: async (progress) => sum(await checkArm(progress)),
};
