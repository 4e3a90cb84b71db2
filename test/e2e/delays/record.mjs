/**
 * Loaded into every Node.js of an editor (`--import`): the extension host's writes down how late its event loop is, each second, in the file that
 * EMBERLINE_DELAYS names. Once a file of that name with `.begin` is there, it begins anew.
 */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { loopDelay, loopMonitor } from '../../../bench/soak/loop_delay.mjs';

const EVERY_MS = 1_000;

const file = process.env['EMBERLINE_DELAYS'];
if (file !== undefined && process.argv.some((one) => one.includes('extensionHost'))) {
  const delay = loopMonitor();
  delay.enable();
  const write = () => {
    if (existsSync(`${file}.begin`)) {
      rmSync(`${file}.begin`);
      delay.reset();
      return;
    }
    writeFileSync(`${file}.part`, JSON.stringify({ count: delay.count, ...loopDelay(delay) }));
    renameSync(`${file}.part`, file);
  };
  setInterval(write, EVERY_MS).unref();
}
