/** Whether a machine runs on its battery, from what its system prints. Undefined: it does not say, as where there is no battery. */

/** One entry of Linux's /sys/class/power_supply: the text of its `uevent`. */
export type SupplyEvent = string;

/**
 * Linux, as systemd decides it: whatever is plugged in and gives power wins; then a battery that is discharged says that nothing does.
 * Batteries of mice and keyboards are none of the machine's.
 */
export function batteryOnLinux(supplies: readonly SupplyEvent[]): boolean | undefined {
  const own = supplies.map(propertiesOf).filter((one) => one.get('SCOPE') !== 'Device');
  const plugged = own.filter((one) => one.get('TYPE') !== 'Battery' && one.has('ONLINE'));
  // 1: a fixed voltage, 2: a programmable one.
  if (plugged.some((one) => Number(one.get('ONLINE')) > 0)) return false;
  const batteries = own.filter((one) => one.get('TYPE') === 'Battery' && one.get('PRESENT') !== '0');
  if (batteries.some((one) => one.get('STATUS') === 'Discharging')) return true;
  return batteries.length === 0 ? undefined : false;
}

function propertiesOf(event: SupplyEvent): ReadonlyMap<string, string> {
  const lines = event.matchAll(/^POWER_SUPPLY_(\w+)=(.*)$/gm);
  return new Map([...lines].map(([, name = '', value = '']) => [name, value.trim()]));
}

/** macOS: the first line of `pmset -g batt` names what power is drawn from. */
export function batteryOnMac(printed: string): boolean | undefined {
  const source = /^Now drawing from .([A-Z][^']*)'/m.exec(printed)?.[1];
  if (source === undefined || !printed.includes('-InternalBattery-')) return undefined;
  return source === 'Battery Power';
}

/** `BatteryStatus` of Win32_Battery: discharging, and the same with little or hardly any charge left. */
const DISCHARGING: ReadonlySet<string> = new Set(['1', '4', '5']);

/** Windows: the `BatteryStatus` of each battery, one a line. */
export function batteryOnWindows(printed: string): boolean | undefined {
  const states = printed.split(/\s+/).filter((state) => /^\d+$/.test(state));
  return states.length === 0 ? undefined : states.every((state) => DISCHARGING.has(state));
}
