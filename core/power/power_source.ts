/** Asks the system whether it runs on its battery: in the background, and seldom, since asking takes power as well. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { batteryOnLinux, batteryOnMac, batteryOnWindows } from './battery';

/** What is known is taken to hold for so long, ms. */
const FRESH_MS = 60_000;
/** The same on Windows, where asking starts a process that takes a second of its own. */
const FRESH_ON_WINDOWS_MS = 300_000;
/** An answer that takes longer is none, ms. */
const LONGEST_MS = 10_000;

const SUPPLIES = '/sys/class/power_supply';
const PMSET = '/usr/bin/pmset';
const WINDOWS_QUERY = '(Get-CimInstance -ClassName Win32_Battery -Property BatteryStatus).BatteryStatus';

/** Undefined where the system does not say. Never rejects. */
export type AskSystem = () => Promise<boolean | undefined>;

export interface PowerParts {
  readonly ask: AskSystem;
  readonly freshMs: number;
  /** A clock that never goes back, ms. */
  readonly now: () => number;
}

/** What to ask on a platform (`process.platform`), and how seldom. */
export function powerParts(platform: NodeJS.Platform): PowerParts {
  const now = (): number => performance.now();
  if (platform === 'linux') return { ask: () => askLinux(SUPPLIES), freshMs: FRESH_MS, now };
  if (platform === 'darwin')
    return { ask: async () => batteryOnMac(await printedBy(PMSET, ['-g', 'batt'])), freshMs: FRESH_MS, now };
  if (platform === 'win32') return { ask: askWindows, freshMs: FRESH_ON_WINDOWS_MS, now };
  return { ask: () => Promise.resolve(undefined), freshMs: Infinity, now };
}

export class PowerSource {
  private readonly parts: PowerParts;
  private readonly changed: () => void;
  private known: boolean | undefined;
  private askedAt = -Infinity;

  /** @param changed Called when it is plugged in or out. */
  constructor(parts: PowerParts, changed: () => void) {
    this.parts = parts;
    this.changed = changed;
  }

  /** What was so when it was last looked at. */
  get onBattery(): boolean {
    return this.known === true;
  }

  /** Looks again, unless that was done a moment ago. Settles when it is known; never rejects. */
  async look(): Promise<void> {
    const { ask, freshMs, now } = this.parts;
    if (now() - this.askedAt < freshMs) return;
    this.askedAt = now();
    const before = this.onBattery;
    this.known = await ask();
    if (this.onBattery !== before) this.changed();
  }
}

/** @param folder With an entry for each supply. */
export async function askLinux(folder: string): Promise<boolean | undefined> {
  const names = await readdir(folder).catch(() => []);
  const read = (name: string): Promise<string> =>
    readFile(join(folder, name, 'uevent'), 'utf8').catch(() => '');
  return batteryOnLinux(await Promise.all(names.map(read)));
}

async function askWindows(): Promise<boolean | undefined> {
  const root = process.env['SystemRoot'] ?? 'C:\\Windows';
  const shell = join(root, 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe');
  const asked = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', WINDOWS_QUERY];
  return batteryOnWindows(await printedBy(shell, asked));
}

/** What a program prints; nothing where it fails. By its full path: no folder of a workspace can put another one in its place. */
function printedBy(program: string, values: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, [...values], { timeout: LONGEST_MS, windowsHide: true }, (error, printed) =>
      resolve(error === null ? printed : ''),
    );
  });
}
