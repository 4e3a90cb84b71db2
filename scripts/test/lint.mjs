import { CHECKS } from '../lint.mjs';
import { FOR_LINT } from '../setup/debian_packages.mjs';
import { check, inTurn } from './checks.mjs';

/** @type {import('./stage.mjs').Stage} */
export const lint = {
  name: 'lint',
  requirements: FOR_LINT,
  needs: [],
  beside: true,
  run: (progress) =>
    inTurn(
      CHECKS.map(
        ({ name, run }) =>
          () =>
            check(progress, name, (log) => run(log, false)),
      ),
    ),
};
