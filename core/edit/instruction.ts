/**
 * What an instruction asks for, where it asks for something well known: then a narrower grammar leaves the model less to get wrong.
 * Any other instruction is the model's to understand.
 */
import type { NewParameter } from './parameter';

export type Request =
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | ({ readonly kind: 'parameter' } & NewParameter)
  | { readonly kind: 'docstring' }
  | { readonly kind: 'free' };

/** What names are put between at times. */
const QUOTES = '[`\'"]?';
const BARE = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`;
const NAME = `${QUOTES}(${BARE})(?:\\(\\))?${QUOTES}`;
const KINDS =
  '(?:variable|local|function|method|class|parameter|argument|constant|field|property|attribute|symbol|type|name|identifier)';
const POLITE = String.raw`^\s*(?:please\s+|can you\s+|could you\s+)?`;

const RENAMES = [
  new RegExp(
    `${POLITE}rename\\s+(?:the\\s+)?(?:${KINDS}\\s+)?${NAME}\\s+(?:to|into|as|=>|->|→)\\s+${NAME}`,
    'iu',
  ),
  new RegExp(
    `${POLITE}(?:change|replace)\\s+the\\s+name\\s+(?:of\\s+)?(?:the\\s+)?(?:${KINDS}\\s+)?${NAME}\\s+(?:to|with|by)\\s+${NAME}`,
    'iu',
  ),
];

const PARAMETER = new RegExp(
  `${POLITE}add\\s+(?:an?\\s+|the\\s+|another\\s+)?(?:new\\s+|optional\\s+|extra\\s+)*(?:parameter|param|argument|arg)\\s+` +
    `(?:to\\s+(?:the\\s+)?(?:function\\s+|method\\s+)?(?<to>${BARE})(?:\\(\\))?\\s+)?` +
    `(?:called\\s+|named\\s+)?${QUOTES}(?<name>${BARE})${QUOTES}(?<rest>.*)$`,
  'isu',
);
const OF = new RegExp(
  `\\b(?:to|of|in)\\s+(?:the\\s+)?(?:function\\s+|method\\s+|constructor\\s+)?${QUOTES}(?<of>${BARE})(?:\\(\\))?${QUOTES}\\s*$`,
  'iu',
);
const VALUE =
  /\s*(?:=|,?\s*defaulting\s+to|,?\s*(?:with\s+)?(?:an?\s+|the\s+)?default(?:\s+value)?(?:\s+of|\s+is)?:?)\s*(?<value>"[^"\n]*"|'[^'\n]*'|[^\s,;]+)/iu;
const TYPE = /^\s*(?::|,?\s*of\s+type|,?\s*with\s+type)\s*(?<type>[\p{L}_$][\p{L}\p{N}_$.<>[\]|]*)/iu;
const DOCSTRING = new RegExp(
  `${POLITE}(?:add|write|fill(?:\\s+in)?|insert)\\s+(?:an?\\s+|the\\s+|its\\s+|some\\s+)?(?:docstrings?|doc\\s*comments?|jsdoc|documentation(?:\\s+comment)?)\\b`,
  'iu',
);

export function requestOf(instruction: string): Request {
  for (const pattern of RENAMES) {
    const [, from, to] = pattern.exec(instruction) ?? [];
    if (from !== undefined && to !== undefined && from !== to) return { kind: 'rename', from, to };
  }
  const parameter = PARAMETER.exec(instruction)?.groups;
  if (parameter !== undefined)
    return parameterOf(parameter['name'] ?? '', parameter['to'], parameter['rest'] ?? '');
  return DOCSTRING.test(instruction) ? { kind: 'docstring' } : { kind: 'free' };
}

/**
 * What the last of several instructions for the same lines asks for, each of which wants the edit before it to be otherwise. What is well known
 * stays so, if nothing is said that its grammar has no room for.
 */
export function requestOfAll(instructions: readonly string[]): Request {
  const [first, ...others] = instructions.map(requestOf);
  return others.reduce<Request>(otherwise, first ?? { kind: 'free' });
}

function otherwise(before: Request, request: Request): Request {
  if (request.kind === before.kind) return request;
  const staysSo = request.kind === 'free' && (before.kind === 'docstring' || before.kind === 'parameter');
  return staysSo ? before : { kind: 'free' };
}

function parameterOf(name: string, of: string | undefined, rest: string): Request {
  const end = rest.replace(/[\s.!]+$/u, '');
  const value = VALUE.exec(end)?.groups?.['value']?.replace(/^`|[`.]+$/gu, '');
  const others = end.replace(VALUE, ' ');
  const type = TYPE.exec(others)?.groups?.['type'];
  return { kind: 'parameter', name, of: of ?? OF.exec(others)?.groups?.['of'], type, value };
}
