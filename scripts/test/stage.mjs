/**
 * A part of the tests that can be run by itself.
 * @typedef {object} Stage
 * @property {string} name what `--only` takes
 * @property {readonly import('../setup/debian_packages.mjs').Requirement[]} requirements what must be on the machine
 * @property {readonly import('./preparations.mjs').PreparationName[]} needs what must have been made
 * @property {boolean} [deep] whether it proves more and takes longer: `npm run test:deep` runs it, `npm test` does not
 * @property {boolean} [onRequest] whether it runs where `--only` names it, and only there
 * @property {boolean} [beside] whether it runs beside the others, on what they leave of the processors: nothing in it hangs on time, no threads in it wait for each other, and it
 *   needs no editor
 * @property {string} [platform] the only one it can run on, as `vscodeTarget` names it
 * @property {(progress: import('../progress.mjs').Progress) => Promise<import('../counts.mjs').Counts>} run rejects only
 *   when it cannot count at all
 */

export {};
