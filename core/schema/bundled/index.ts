/** The schemas that come with Emberline: of files that nearly every project has. They list what is common, and refuse nothing else. */
import packageJson from './package.json';
import settings from './settings.json';
import tsconfig from './tsconfig.json';

export interface BundledSchema {
  readonly name: string;
  readonly fileMatch: readonly string[];
  /** Addresses under which it is known, without scheme and `.json`. */
  readonly addresses: readonly string[];
  readonly schema: unknown;
}

export const BUNDLED_SCHEMAS: readonly BundledSchema[] = [
  {
    name: 'package.json',
    fileMatch: ['package.json'],
    addresses: ['schemastore.org/package'],
    schema: packageJson,
  },
  {
    name: 'tsconfig.json',
    fileMatch: ['tsconfig.json', 'tsconfig.*.json', 'tsconfig-*.json', 'jsconfig.json'],
    addresses: ['schemastore.org/tsconfig', 'schemastore.org/jsconfig'],
    schema: tsconfig,
  },
  {
    name: 'settings.json',
    fileMatch: ['/.vscode/settings.json', '/User/settings.json', '/Machine/settings.json'],
    addresses: [],
    schema: settings,
  },
];
