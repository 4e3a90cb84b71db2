import { runVitest } from './vitest.mjs';

/** @type {import('./stage.mjs').Stage} */
export const unit = {
  name: 'unit',
  requirements: [],
  needs: [],
  run: (progress) => runVitest(progress, 'unit', 'unit tests', { args: ['--project', 'unit-mocked'] }),
};
