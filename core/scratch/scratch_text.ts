/** A text to try suggestions in: it ends where the embedded model is certain of what follows (`integration/scratch_text`). */

/** Languages that there is a text for; the first is for all others. */
export const SCRATCH_LANGUAGES = [
  'python',
  'javascript',
  'typescript',
  'go',
  'rust',
  'java',
  'c',
  'cpp',
] as const;
export type ScratchLanguage = (typeof SCRATCH_LANGUAGES)[number];

/** What stands above the code, a comment each; {0} is the key that takes a word. */
export const SCRATCH_COMMENTS = [
  'Emberline: the grey text at the cursor is a suggestion.',
  'Tab takes it.',
  '{0} takes a word of it.',
  'Escape dismisses it.',
  'Alt+\\ asks for one, and again for others.',
  'This file is yours to play in; nothing is saved.',
] as const;

/** Three of a kind, of which the last lacks its end: what the two before it say is all that has to be understood. */
const CODE: Readonly<Record<ScratchLanguage, string>> = {
  python: `
def add(a, b):
    return a + b


def subtract(a, b):
    return a - b


def multiply(a, b):
    return`,
  javascript: curly('function add(a, b)', 'function subtract(a, b)', 'function multiply(a, b)'),
  typescript: curly(
    'function add(a: number, b: number): number',
    'function subtract(a: number, b: number): number',
    'function multiply(a: number, b: number): number',
  ),
  go: curly(
    'func add(a int, b int) int',
    'func subtract(a int, b int) int',
    'func multiply(a int, b int) int',
    '\t',
    '',
  ),
  rust: curly(
    'fn add(a: i64, b: i64) -> i64',
    'fn subtract(a: i64, b: i64) -> i64',
    'fn multiply(a: i64, b: i64) -> i64',
  ),
  java: curly(
    'static int add(int a, int b)',
    'static int subtract(int a, int b)',
    'static int multiply(int a, int b)',
  ),
  c: curly('int add(int a, int b)', 'int subtract(int a, int b)', 'int multiply(int a, int b)'),
  cpp: curly('int add(int a, int b)', 'int subtract(int a, int b)', 'int multiply(int a, int b)'),
};

function curly(add: string, subtract: string, multiply: string, indent = '    ', end = ';'): string {
  return `
${add} {
${indent}return a + b${end}
}

${subtract} {
${indent}return a - b${end}
}

${multiply} {
${indent}return`;
}

export function scratchLanguage(languageId: string | undefined): ScratchLanguage {
  return SCRATCH_LANGUAGES.find((one) => one === languageId) ?? SCRATCH_LANGUAGES[0];
}

/**
 * The text; the cursor belongs at its end.
 * @param comments One line each, without a sign.
 */
export function scratchText(language: ScratchLanguage, comments: readonly string[]): string {
  const sign = language === 'python' ? '#' : '//';
  return `${comments.map((line) => `${sign} ${line}`.trimEnd()).join('\n')}\n${CODE[language]} `;
}
