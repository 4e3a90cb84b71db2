/**
 * What the bench and its workers say to each other: a request is a line of words, the answer to it a line of JSON, either
 * with the members asked for or `{error, code?}`.
 */
import { Failure } from '../cli/failure';

export type Answer = Readonly<Record<string, unknown>>;

/** Words must hold no blanks or line breaks, but the last one may hold blanks. */
export function requestLine(...words: readonly (string | number)[]): string {
  const line = words.join(' ');
  if (/[\r\n]/.test(line)) throw new RangeError('A request is one line.');
  return line;
}

/** Throws Failure for an answer that reports one, and for what is no answer. */
export function parseAnswer(line: string, worker: string): Answer {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Failure({
      code: 'WORKER_FAILED',
      message: `${worker} answered with something that is not JSON.`,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Failure({
      code: 'WORKER_FAILED',
      message: `${worker} answered with something that is no object.`,
    });
  }
  const answer: Answer = { ...value };
  if (typeof answer['error'] === 'string') {
    const code = typeof answer['code'] === 'string' ? answer['code'] : 'WORKER_FAILED';
    throw new Failure({ code, message: `${worker}: ${answer['error']}` });
  }
  return answer;
}

/** A finite number of an answer. */
export function numberOf(answer: Answer, member: string): number {
  const value = answer[member];
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new Failure({ code: 'WORKER_FAILED', message: `An answer has no number '${member}'.` });
}

/** A list of token ids of an answer. */
export function idsOf(answer: Answer): readonly number[] {
  const value = answer['ids'];
  if (Array.isArray(value) && value.every((id): id is number => Number.isInteger(id))) return value;
  throw new Failure({ code: 'WORKER_FAILED', message: 'An answer has no token ids.' });
}

/** A text of an answer. */
export function textOf(answer: Answer): string {
  const value = answer['text'];
  if (typeof value === 'string') return value;
  throw new Failure({ code: 'WORKER_FAILED', message: 'An answer has no text.' });
}
