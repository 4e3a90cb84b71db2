/** What a model is asked to edit, with examples of how: a small one follows those more than any description. */
import { numbered } from './edit_format';

/** Turns of the chat template that SmolLM2, Qwen and others were trained with (ChatML). */
export const TURN_BEGINS = '<|im_start|>';
export const TURN_ENDS = '<|im_end|>';
/** Text that means something to such a template, or ends a document. */
const CONTROL = /<\|(?=\w+\|>)/g;

interface Example {
  readonly instruction: string;
  readonly lines: readonly string[];
  readonly answer: string;
}

const SYSTEM =
  'You edit code. You get numbered lines and an instruction. Answer only with the lines that change, each with its number.';

const EDIT_EXAMPLES: readonly Example[] = [
  {
    instruction: 'rename total to sum',
    lines: ['total = 0', '# total of all prices', 'print(total)'],
    answer: '1|sum = 0\n2|# sum of all prices\n3|print(sum)',
  },
  {
    instruction: 'add a docstring',
    lines: ['def half(number):', '    return number / 2'],
    answer: '1|def half(number):\n+|    """Return half of the given number."""',
  },
  {
    instruction: 'multiply by three instead',
    lines: ['function f(x) {', '  return x * 2;', '}'],
    answer: '2|  return x * 3;',
  },
];

const ADD_SYSTEM =
  'You write code. You get numbered lines and an instruction. Answer only with the lines to add behind them.';

const ADD_EXAMPLE_IN_PYTHON: Example = {
  instruction: 'a function that adds two numbers',
  lines: ['import math', ''],
  answer: '+|def add(a, b):\n+|    """Return the sum of two numbers."""\n+|    return a + b',
};
const ADD_EXAMPLE: Example = {
  instruction: 'a function that adds two numbers',
  lines: ['const zero = 0;', ''],
  answer: '+|function add(a, b) {\n+|  return a + b;\n+|}',
};

export interface Task {
  readonly instruction: string;
  readonly lines: readonly string[];
  readonly languageId: string;
  /** Whether lines are added behind those that are shown, instead of changed. */
  readonly adds: boolean;
}

/**
 * @param chat Whether the model knows the turns of a chat.
 * @returns What the model reads; with `chat` its control tokens are to be parsed.
 */
export function editPrompt({ instruction, lines, languageId, adds }: Task, chat: boolean): string {
  const added = languageId === 'python' ? ADD_EXAMPLE_IN_PYTHON : ADD_EXAMPLE;
  const examples = adds ? [added] : EDIT_EXAMPLES;
  const turns = [...examples, { instruction, lines, answer: '' }];
  const system = adds ? ADD_SYSTEM : SYSTEM;
  if (!chat) {
    const parts = turns.map((turn) => `${questionOf(turn)}\n\nAnswer:\n${turn.answer}`);
    return `${system}\n\n${parts.join('\n\n')}`;
  }
  const parts = turns.map((turn, index) => {
    const answer = index < turns.length - 1 ? `${turn.answer}${TURN_ENDS}\n` : '';
    return `${TURN_BEGINS}user\n${questionOf(turn)}${TURN_ENDS}\n${TURN_BEGINS}assistant\n${answer}`;
  });
  return `${TURN_BEGINS}system\n${system}${TURN_ENDS}\n${parts.join('')}`;
}

/** No part of a document is a control token: such a text is shown with a space in it. */
function questionOf({ instruction, lines }: Pick<Example, 'instruction' | 'lines'>): string {
  return `Instruction: ${instruction.trim()}\n\n${numbered(lines)}`.replace(CONTROL, '< |');
}
