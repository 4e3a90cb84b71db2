/**
 * For which models the rest of the document has a say in what comes next (native/decode/document_memory.h): small ones, which read
 * little of it. `npm run bench -- quality --memory off` shows what it is worth to a model; of larger ones nobody has measured it.
 */

/** The most parameters of a model that remembers. */
const MOST_PARAMETERS = 400e6;

/** @param parameters Of the model; undefined where it is not known. */
export function remembers(parameters: number | undefined): boolean {
  return parameters !== undefined && parameters <= MOST_PARAMETERS;
}
