import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Activity, statusOf, STATUSES } from '../../extension/status';
import { sentenceOf } from '../../extension/status_bar';

const IDLE: Activity = {
  engine: 'ready',
  writing: false,
  working: false,
  enabled: true,
  enabledHere: true,
  restraint: undefined,
};
const PAUSED = { reason: 'paused', unlessAsked: false } as const;

describe('the status', () => {
  it.each([
    ['ready', {}],
    ['working', { working: true }],
    ['loading', { engine: 'loading', working: true }],
    ['generating', { writing: true, restraint: PAUSED }],
    ['paused', { restraint: PAUSED, working: true }],
    ['paused', { restraint: PAUSED, engine: 'loading' }],
    ['off', { restraint: PAUSED, enabled: false }],
    ['off', { enabledHere: false }],
    ['off', { restraint: { reason: 'battery', unlessAsked: false } }],
    ['ready', { restraint: { reason: 'battery', unlessAsked: true } }],
    ['off', { engine: 'stopped' }],
    ['error', { engine: 'failed', restraint: PAUSED, enabled: false }],
  ] as const)('is %s', (status, changes) => {
    expect(statusOf({ ...IDLE, ...changes })).toBe(status);
  });

  it('is explained on a page of its own, each as the status bar says it', () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'status_bar.md'), 'utf8');
    const said = [...page.matchAll(/^\| (?!it shows|---)[^|]+\| ([^|]+?) +\|[^|]+\|$/gm)].map(
      ([, cell]) => cell,
    );
    expect(said).toEqual(STATUSES.map(sentenceOf));
  });
});
