import { FOR_BUILDING, FOR_NATIVE_TESTS } from '../setup/debian_packages.mjs';
import { runVitest } from './vitest.mjs';

/**
 * The addon, the terminal program and the model: the engine uses every core, so nothing is left to compile by then.
 * @type {import('./stage.mjs').Stage}
 */
export const integration = {
  name: 'integration',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS],
  needs: ['addon', 'bundles', 'nativeTests'],
  run: (progress) => runVitest(progress, 'integration', 'conformance and integration tests'),
};
