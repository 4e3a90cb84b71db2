import { FOR_BUILDING, FOR_NATIVE_TESTS } from '../setup/debian_packages.mjs';
import { runVitest } from './vitest.mjs';

/**
 * The addon, the terminal program and the model. Where others need the cores the engine goes on with fewer threads.
 * @type {import('./stage.mjs').Stage}
 */
export const integration = {
  name: 'integration',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS],
  needs: ['addon', 'bundles', 'nativeTests'],
  beside: true,
  run: (progress) => runVitest(progress, 'integration', 'conformance and integration tests'),
};
