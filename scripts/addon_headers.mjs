import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';

/**
 * What cmake-js tells CMake where it builds the addon, for whoever builds it otherwise: for another platform, or under sanitizers.
 * @returns {Record<string, string>} definitions for CMake
 */
export function addonHeaders() {
  const packages = join(ROOT, 'node_modules');
  const { version } = JSON.parse(readFileSync(join(packages, 'cmake-js', 'package.json'), 'utf8'));
  const folders = [join('node-api-headers', 'include'), 'node-addon-api'].map((name) => join(packages, name));
  return {
    CMAKE_JS_VERSION: version,
    CMAKE_JS_INC: folders.join(';'),
    CMAKE_JS_NODELIB_DEF: join(packages, 'node-api-headers', 'def', 'node_api.def'),
  };
}
