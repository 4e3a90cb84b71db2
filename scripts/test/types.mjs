import { runTool } from '../processes.mjs';
import { check, inTurn } from './checks.mjs';

/** What tsc is given to find each TypeScript project. */
const PROJECTS = ['.', 'extension/dashboard/page', 'scripts', 'test/e2e/page'];

/** @type {import('./stage.mjs').Stage} */
export const types = {
  name: 'types',
  requirements: [],
  needs: [],
  beside: true,
  run: (progress) =>
    inTurn(
      PROJECTS.map(
        (project) => () =>
          check(progress, project === '.' ? 'types' : `types of ${project}`, (log) =>
            runTool('typescript/bin/tsc', ['--project', project], { log, failure: 'tsc has found errors.' }),
          ),
      ),
    ),
};
