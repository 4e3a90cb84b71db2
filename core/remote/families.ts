/**
 * How families of models write the marks of fill-in-the-middle, for servers that take a prompt as text. The layouts are those of every model
 * (core/completion/fim_layout.ts); the engine on this machine knows families by their tokens (native/tokenizer/fim_families.cpp), here the name of a model has
 * to do. A test compares both tables.
 */
import { OWN_LAYOUT } from '../completion/fim_layout';
import type { NativeFim } from '../engine/native_types';

/** What stands for a mark in the prompts that are written for a remote engine. */
export const MARK = { prefix: 0, suffix: 1, middle: 2, separator: 3, repository: 4 } as const;
export type Mark = (typeof MARK)[keyof typeof MARK];

export interface Family {
  readonly layout: 'prefix_suffix_middle' | 'suffix_prefix_middle' | 'suffix_prefix' | typeof OWN_LAYOUT;
  /** The marks as text, by their numbers; empty: it has none. */
  readonly marks: readonly [
    prefix: string,
    suffix: string,
    middle: string,
    separator: string,
    repository: string,
  ];
  readonly files?: 'path_before_marks' | 'path_in_prefix';
  /** What a model of the family may go on with where the text is over. */
  readonly ends: readonly string[];
}

const QWEN_ENDS = ['<|endoftext|>', '<|fim_pad|>', '<|file_sep|>', '<|repo_name|>', '<|im_end|>'];
const STARCODER_ENDS = ['<|endoftext|>', '<file_sep>', '<filename>', '<fim_pad>'];

const TABLE = {
  qwen: {
    layout: 'prefix_suffix_middle',
    marks: ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>', '<|file_sep|>', '<|repo_name|>'],
    files: 'path_before_marks',
    ends: QWEN_ENDS,
  },
  starcoder: {
    layout: 'prefix_suffix_middle',
    marks: ['<fim_prefix>', '<fim_suffix>', '<fim_middle>', '<filename>', ''],
    ends: STARCODER_ENDS,
  },
  starcoder2: {
    layout: 'prefix_suffix_middle',
    marks: ['<fim_prefix>', '<fim_suffix>', '<fim_middle>', '<file_sep>', '<repo_name>'],
    files: 'path_in_prefix',
    ends: STARCODER_ENDS,
  },
  deepseek: {
    layout: 'prefix_suffix_middle',
    marks: ['<｜fim▁begin｜>', '<｜fim▁hole｜>', '<｜fim▁end｜>', '', ''],
    ends: ['<｜end▁of▁sentence｜>', '<|EOT|>'],
  },
  codellama: {
    layout: 'prefix_suffix_middle',
    // Its tokens begin with a blank, and the text behind the first and the last does as well.
    marks: ['<PRE> ', ' <SUF>', ' <MID>', '', ''],
    ends: ['<EOT>', ' <EOT>'],
  },
  codegemma: {
    layout: 'prefix_suffix_middle',
    marks: ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>', '<|file_separator|>', ''],
    ends: ['<|file_separator|>', '<eos>'],
  },
  codestral: {
    layout: 'suffix_prefix',
    marks: ['[PREFIX]', '[SUFFIX]', '', '', ''],
    ends: ['</s>'],
  },
  mellum: {
    layout: 'suffix_prefix_middle',
    marks: ['<fim_prefix>', '<fim_suffix>', '<fim_middle>', '<filename>', ''],
    files: 'path_before_marks',
    ends: ['<|endoftext|>', '<filename>'],
  },
  seedcoder: {
    layout: 'suffix_prefix_middle',
    marks: ['<[fim-prefix]>', '<[fim-suffix]>', '<[fim-middle]>', '', ''],
    ends: ['<[end▁of▁sentence]>'],
  },
  // The model that ships with Emberline: its tokenizer had these marks for something else (training/).
  emberline: {
    layout: OWN_LAYOUT,
    marks: ['<issue_comment>', '<issue_start>', '<jupyter_start>', '<file_sep>', ''],
    ends: ['<issue_closed>', '<|im_end|>', '<|endoftext|>'],
  },
} as const satisfies Readonly<Record<string, Family>>;

export type FamilyName = keyof typeof TABLE;
export const FAMILIES = Object.keys(TABLE) as readonly FamilyName[];

/** The first that fits counts. */
const NAMES: readonly (readonly [RegExp, FamilyName])[] = [
  [/emberline/i, 'emberline'],
  [/mellum/i, 'mellum'],
  [/seed-?coder/i, 'seedcoder'],
  [/codestral/i, 'codestral'],
  [/code-?gemma/i, 'codegemma'],
  [/code-?llama/i, 'codellama'],
  [/deepseek-?(?:v2-)?coder|deepseek-coder/i, 'deepseek'],
  [/starcoder-?2/i, 'starcoder2'],
  [/star-?coder|stable-?code|santacoder|granite.*code/i, 'starcoder'],
  [/qwen|granite-?4/i, 'qwen'],
];

export function family(name: FamilyName): Family {
  return TABLE[name];
}

/** The family that a model's name tells of; undefined where it tells of none that fills in the middle. */
export function familyOf(model: string): FamilyName | undefined {
  return NAMES.find(([pattern]) => pattern.test(model))?.[1];
}

/** What a prompt writer has to know of a family. */
export function fimOf({ layout, marks, files }: Family): NativeFim {
  const has = (mark: Mark): boolean => marks[mark] !== '';
  return {
    layout,
    prefix: MARK.prefix,
    suffix: MARK.suffix,
    ...(has(MARK.middle) && { middle: MARK.middle }),
    ...(has(MARK.separator) && { separator: MARK.separator }),
    ...(has(MARK.repository) && { repository: MARK.repository }),
    ...(files !== undefined && { files }),
  };
}

/**
 * Of a server that lays out the parts itself.
 * @param takesFiles Whether it takes other files beside them.
 */
export function fimOfServer(takesFiles: boolean): NativeFim {
  const parts = {
    layout: 'prefix_suffix_middle',
    prefix: MARK.prefix,
    suffix: MARK.suffix,
    middle: MARK.middle,
  };
  return takesFiles ? { ...parts, separator: MARK.separator, files: 'path_before_marks' } : parts;
}

/** Control tokens of the families above, and of models made from the same ones, as texts spell them. */
const CONTROL =
  /<\|[\w▁ -]{1,40}\|>|<｜[^｜\n]{1,40}｜>|<\[[\w▁-]{1,40}\]>|<(?:fim_\w+|file_sep|repo_name|filename|jupyter_\w+|issue_\w+|reponame|gh_stars|PRE|SUF|MID|EOT|bos|eos|pad|unk|s|\/s|start_of_turn|end_of_turn)>|\[\/?(?:INST|PREFIX|SUFFIX|MIDDLE)\]/g;

/** A document's text as no server can read a control token in it: where it spells one, a blank stands behind its first character. */
export function withoutControlTokens(text: string): string {
  return text.replace(CONTROL, (spelled) => `${spelled.slice(0, 1)} ${spelled.slice(1)}`);
}
