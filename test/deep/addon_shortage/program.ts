/** The process in which allocations fail: `node program ADDON MODEL STRIDE LAST-ATTEMPT`; prints what came of it. */
import { openSync, writeSync } from 'node:fs';
import { loadAddon } from '../../../core/engine/binding';
import { type FailingAllocations, type Survey, survey } from './survey';
import { works } from './works';

const [addonPath = '', model = '', stride = '1', lastAttempt = '', only = ''] = process.argv.slice(2);
const loaded = loadAddon(addonPath);
if (!loaded.ok) throw new Error(loaded.error.message);
const addon = loaded.value;
const memory = loaded.value as unknown as FailingAllocations;
// What a process that dies was at.
const file = openSync(lastAttempt, 'w');
const told = (what: string): void => {
  writeSync(file, what.padEnd(120), 0);
};
const surveys: Survey[] = [];
for (const work of works(addon, model)) {
  if (!work.name.includes(only)) continue;
  // A shortage that lasts is met first where one that passes is: of these fewer are enough.
  for (const [lasting, step] of [
    [false, Number(stride)],
    [true, 3 * Number(stride)],
  ] as const)
    surveys.push(await survey(work, { memory, lasting, stride: step, told }));
}
process.stdout.write(JSON.stringify(surveys));
