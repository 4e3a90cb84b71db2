import { readFileSync } from 'node:fs';

/** The most memory this process has had in use so far, bytes. */
export function peakMemoryBytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1_024;
  // What resourceUsage reports there can be the peak of the process that started this one.
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Number(kibibytes) * 1_024;
}
