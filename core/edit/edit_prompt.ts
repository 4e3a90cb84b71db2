/** What a model is asked to edit, with examples of how: a small one follows those more than any description. */
import type { ChatMessage } from '../chat/messages';
import { numbered } from './edit_format';

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

/** An instruction for the same lines, and what came of it. */
export interface EditTurn {
  readonly instruction: string;
  /** In the form of edit_format.ts. */
  readonly answer: string;
}

/** More of what was said before is not told again: the last of it is what counts. */
const MOST_EARLIER = 3;

export interface Task {
  readonly instruction: string;
  readonly earlier?: readonly EditTurn[];
  readonly lines: readonly string[];
  readonly languageId: string;
  /** Whether lines are added behind those that are shown, instead of changed. */
  readonly adds: boolean;
}

/** What is said to the model, up to where it answers. */
export function editMessages(task: Task): readonly ChatMessage[] {
  const { instruction, earlier = [], lines, languageId, adds } = task;
  const added = languageId === 'python' ? ADD_EXAMPLE_IN_PYTHON : ADD_EXAMPLE;
  const examples = adds ? [added] : EDIT_EXAMPLES;
  const from = Math.max(0, earlier.length - MOST_EARLIER);
  const told = earlier
    .slice(from)
    .map((turn, index) => ({ ...turn, instruction: again(turn.instruction, from + index > 0), lines }));
  return [
    { role: 'system', content: adds ? ADD_SYSTEM : SYSTEM },
    ...[...examples, ...told].flatMap(({ answer, ...asked }): readonly ChatMessage[] => [
      { role: 'user', content: questionOf(asked) },
      { role: 'assistant', content: answer },
    ]),
    { role: 'user', content: questionOf({ instruction: again(instruction, earlier.length > 0), lines }) },
  ];
}

/** The same for a model that knows no turns. */
export function plainPrompt(messages: readonly ChatMessage[]): string {
  const parts = messages.map(({ role, content }) => (role === 'assistant' ? `Answer:\n${content}` : content));
  return `${parts.join('\n\n')}\n\nAnswer:\n`;
}

function again(instruction: string, isAgain: boolean): string {
  return isAgain ? `Again, but ${instruction.trim()}` : instruction;
}

function questionOf({ instruction, lines }: Pick<Example, 'instruction' | 'lines'>): string {
  return `Instruction: ${instruction.trim()}\n\n${numbered(lines)}`;
}
