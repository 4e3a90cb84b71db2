/** How each language writes a comment that ends with the line; keys are VS Code's language ids. */

type Comment = readonly [open: string, close: string];

const SLASHES: Comment = ['// ', ''];
const HASH: Comment = ['# ', ''];
const DASHES: Comment = ['-- ', ''];
const BLOCK: Comment = ['/* ', ' */'];
const MARKUP: Comment = ['<!-- ', ' -->'];
const PERCENT: Comment = ['% ', ''];
const SEMICOLON: Comment = ['; ', ''];

const COMMENTS: ReadonlyMap<string, Comment> = new Map<string, Comment>([
  ...[
    'bicep',
    'c',
    'cpp',
    'csharp',
    'cuda-cpp',
    'dart',
    'fsharp',
    'glsl',
    'go',
    'groovy',
    'hlsl',
    'java',
    'javascript',
    'javascriptreact',
    'jsonc',
    'kotlin',
    'less',
    'objective-c',
    'objective-cpp',
    'php',
    'proto3',
    'rust',
    'scala',
    'scss',
    'shaderlab',
    'solidity',
    'swift',
    'systemverilog',
    'typescript',
    'typescriptreact',
    'verilog',
    'wgsl',
    'zig',
  ].map((id): [string, Comment] => [id, SLASHES]),
  ...[
    'cmake',
    'coffeescript',
    'dockerfile',
    'elixir',
    'gdscript',
    'git-commit',
    'graphql',
    'ignore',
    'julia',
    'makefile',
    'nim',
    'perl',
    'powershell',
    'properties',
    'python',
    'r',
    'ruby',
    'scminput',
    'shellscript',
    'terraform',
    'toml',
    'yaml',
  ].map((id): [string, Comment] => [id, HASH]),
  ...['ada', 'elm', 'haskell', 'lua', 'sql', 'vhdl'].map((id): [string, Comment] => [id, DASHES]),
  ...['html', 'markdown', 'svelte', 'vue', 'xml', 'xsl'].map((id): [string, Comment] => [id, MARKUP]),
  ...['erlang', 'latex', 'matlab', 'prolog', 'tex'].map((id): [string, Comment] => [id, PERCENT]),
  ...['clojure', 'ini', 'lisp', 'scheme'].map((id): [string, Comment] => [id, SEMICOLON]),
  ['css', BLOCK],
]);

const LANGUAGE_OF_SUFFIX: ReadonlyMap<string, string> = new Map([
  ['bash', 'shellscript'],
  ['c', 'c'],
  ['cc', 'cpp'],
  ['cjs', 'javascript'],
  ['cpp', 'cpp'],
  ['cs', 'csharp'],
  ['css', 'css'],
  ['cts', 'typescript'],
  ['cxx', 'cpp'],
  ['dart', 'dart'],
  ['go', 'go'],
  ['h', 'cpp'],
  ['hpp', 'cpp'],
  ['hs', 'haskell'],
  ['htm', 'html'],
  ['html', 'html'],
  ['ini', 'ini'],
  ['java', 'java'],
  ['jl', 'julia'],
  ['js', 'javascript'],
  ['json', 'json'],
  ['jsonc', 'jsonc'],
  ['jsx', 'javascriptreact'],
  ['kt', 'kotlin'],
  ['lua', 'lua'],
  ['md', 'markdown'],
  ['mjs', 'javascript'],
  ['mts', 'typescript'],
  ['php', 'php'],
  ['pl', 'perl'],
  ['ps1', 'powershell'],
  ['py', 'python'],
  ['pyi', 'python'],
  ['r', 'r'],
  ['rb', 'ruby'],
  ['rs', 'rust'],
  ['scala', 'scala'],
  ['scss', 'scss'],
  ['sh', 'shellscript'],
  ['sql', 'sql'],
  ['svelte', 'svelte'],
  ['swift', 'swift'],
  ['tex', 'latex'],
  ['toml', 'toml'],
  ['ts', 'typescript'],
  ['tsx', 'typescriptreact'],
  ['vue', 'vue'],
  ['xml', 'xml'],
  ['yaml', 'yaml'],
  ['yml', 'yaml'],
  ['zig', 'zig'],
]);

/** The language id an editor would give a file of this name; `plaintext` when its suffix says nothing. */
export function languageOfPath(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (name === 'makefile') return 'makefile';
  if (name === 'dockerfile') return 'dockerfile';
  if (name === 'cmakelists.txt') return 'cmake';
  return LANGUAGE_OF_SUFFIX.get(name.slice(name.lastIndexOf('.') + 1)) ?? 'plaintext';
}

/** Whether the language has a comment that ends with the line, and it is known. */
export function hasComments(languageId: string): boolean {
  return COMMENTS.has(languageId);
}

/** `text` as one comment line of the language, or bare where the language has no such comment or none is known. */
export function commentLine(languageId: string, text: string): string {
  const [open, close] = COMMENTS.get(languageId) ?? ['', ''];
  return `${open}${text}${close}\n`;
}

/** Whether a line is a comment of the language and nothing else. */
export function isCommentLine(languageId: string, line: string): boolean {
  const open = COMMENTS.get(languageId)?.[0].trimEnd();
  return open !== undefined && line.trimStart().startsWith(open);
}

/** Whether a line is the mark of a comment up to the line's end, or of one that documents (`///`, `//!`, `##`, `---`), and nothing else. */
export function isEmptyComment(languageId: string, line: string): boolean {
  const [open, close] = COMMENTS.get(languageId) ?? ['', ''];
  const mark = open.trim();
  return close === '' && mark !== '' && [mark, mark + mark.slice(-1), `${mark}!`].includes(line.trim());
}
