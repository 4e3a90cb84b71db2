/**
 * What a small model is given that reads little of a document and nothing of others: a say of the rest of the document and of other files in what
 * comes next (native/decode/document_memory.h), and pieces of other files (similar_windows.ts). `npm run bench -- quality` with `--memory off` and with
 * `--snippets off` shows what each is worth; of larger models nobody has measured it.
 */
import type { WhereItPays } from './options';
import type { ReferenceUse } from './references';

/** The most parameters of a small model. */
const MOST_PARAMETERS = 400e6;

/** @param parameters Of the model; undefined where it is not known. */
export function remembers(parameters: number | undefined): boolean {
  return parameters !== undefined && parameters <= MOST_PARAMETERS;
}

/** Whether other files pay: pieces of them in the prompt, and their say. */
export function readsSimilarCode(choice: WhereItPays, parameters: number | undefined): boolean {
  return choice === 'always' || (choice === 'auto' && remembers(parameters));
}

/** What has a say in what comes next: the rest of the document, other files of its language. */
export function remembered(
  choice: WhereItPays,
  parameters: number | undefined,
): Pick<ReferenceUse, 'remembers' | 'remembersOthers'> {
  const own = remembers(parameters);
  return { remembers: own, remembersOthers: own && readsSimilarCode(choice, parameters) };
}
