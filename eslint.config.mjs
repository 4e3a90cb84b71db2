import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/** Folders whose files must run without an editor: importing `vscode` there breaks the terminal, the bench and the tests. */
const WITHOUT_VSCODE = ['core/**/*.ts', 'cli/**/*.ts', 'bench/**/*.ts', 'test/unit/**/*.ts'];

export default tseslint.config(
  { ignores: ['build/', 'dist/', '.cache/', 'node_modules/', 'samples/', 'test/fixtures/', 'bench/cases/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: WITHOUT_VSCODE,
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: [{ name: 'vscode', message: 'This code runs without an editor.' }] },
      ],
    },
  },
  {
    files: ['test/unit/**/*.ts'],
    ignores: ['test/unit/mocked/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'vi', property: 'mock', message: 'Tests that replace modules are in test/unit/mocked.' },
      ],
    },
  },
  {
    // Connections are core/http/connection.ts's to open; what it imports for that is test/unit/layering's to watch.
    files: ['core/**/*.ts', 'extension/**/*.ts', 'cli/**/*.ts'],
    rules: { 'no-restricted-globals': ['error', 'fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'] },
  },
  {
    files: ['cli/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'URL',
          'Buffer',
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'clearInterval',
          'fetch',
          'AbortController',
          'AbortSignal',
          'performance',
          'TextDecoder',
          'TextEncoder',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  prettier,
);
