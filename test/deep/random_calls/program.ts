/** The process in which calls are made: `node program ADDON SEED CALLS LAST-CALL VOCABULARY MODEL...`; prints what came of them. */
import { openSync, writeSync } from 'node:fs';
import { loadAddon } from '../../../core/engine/binding';
import { Caller } from './caller';

const [addonPath = '', seed = '', calls = '', lastCall = '', vocabulary = '', ...paths] =
  process.argv.slice(2);
const addon = loadAddon(addonPath);
if (!addon.ok) throw new Error(addon.error.message);
// What a process that dies was at.
const file = openSync(lastCall, 'w');
const told = (call: string): void => {
  writeSync(file, call.padEnd(80), 0);
};
const called = await new Caller(
  addon.value,
  { paths, vocabulary: Number(vocabulary) },
  Number(seed),
  told,
).run(Number(calls));
process.stdout.write(JSON.stringify(called));
