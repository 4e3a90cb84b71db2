import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { batteryOnLinux, batteryOnMac, batteryOnWindows } from '../../core/power/battery';
import { askLinux, powerParts, PowerSource } from '../../core/power/power_source';

const event = (values: Readonly<Record<string, string>>): string =>
  Object.entries({ DEVTYPE: 'power_supply', ...values })
    .map(([name, value]) => `${name === 'DEVTYPE' ? name : `POWER_SUPPLY_${name}`}=${value}\n`)
    .join('');

const AC = event({ NAME: 'AC', TYPE: 'Mains', ONLINE: '1' });
const AC_OUT = event({ NAME: 'AC', TYPE: 'Mains', ONLINE: '0' });
const USB_C = event({
  NAME: 'ucsi-source-psy-USBC000:001',
  TYPE: 'USB',
  USB_TYPE: 'C [PD] PD_PPS',
  ONLINE: '2',
});
const USB_C_OUT = event({
  NAME: 'ucsi-source-psy-USBC000:002',
  TYPE: 'USB',
  USB_TYPE: '[C] PD PD_PPS',
  ONLINE: '0',
});
const battery = (status: string): string =>
  event({
    NAME: 'BAT0',
    TYPE: 'Battery',
    STATUS: status,
    PRESENT: '1',
    TECHNOLOGY: 'Li-poly',
    CYCLE_COUNT: '211',
    VOLTAGE_NOW: '16210000',
    CAPACITY: '71',
    MODEL_NAME: '5B10W51867',
  });
const MOUSE = event({
  NAME: 'hidpp_battery_0',
  TYPE: 'Battery',
  ONLINE: '1',
  STATUS: 'Discharging',
  SCOPE: 'Device',
  MODEL_NAME: 'MX Anywhere 3',
});

describe("Linux's power supplies", () => {
  it('are a battery where nothing is plugged in and one is discharged', () => {
    expect(batteryOnLinux([AC_OUT, battery('Discharging')])).toBe(true);
    expect(batteryOnLinux([battery('Discharging'), USB_C_OUT, AC_OUT])).toBe(true);
    expect(batteryOnLinux([battery('Not charging'), battery('Discharging')])).toBe(true);
  });

  it('are the mains where something gives power, whatever a battery says', () => {
    expect(batteryOnLinux([AC, battery('Charging')])).toBe(false);
    expect(batteryOnLinux([AC_OUT, USB_C, battery('Discharging')])).toBe(false);
    expect(batteryOnLinux([AC_OUT, battery('Full')])).toBe(false);
    expect(batteryOnLinux([AC_OUT, battery('Unknown')])).toBe(false);
  });

  it('say nothing of a machine without a battery, nor of its mouse', () => {
    expect(batteryOnLinux([])).toBeUndefined();
    expect(batteryOnLinux([MOUSE])).toBeUndefined();
    expect(batteryOnLinux([''])).toBeUndefined();
    expect(
      batteryOnLinux([event({ NAME: 'BAT1', TYPE: 'Battery', PRESENT: '0', STATUS: 'Discharging' })]),
    ).toBeUndefined();
    expect(batteryOnLinux([AC_OUT, MOUSE, battery('Full')])).toBe(false);
  });

  it('are read from a folder for each, without those that cannot be read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'emberline-power-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const supplies = { AC: AC_OUT, BAT0: battery('Discharging') };
    for (const [name, text] of Object.entries(supplies)) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'uevent'), text);
    }
    mkdirSync(join(folder, 'gone'));
    expect(await askLinux(folder)).toBe(true);
    expect(await askLinux(join(folder, 'nowhere'))).toBeUndefined();
  });
});

const PERCENT = `\t71%; discharging; 4:37 remaining present: true`;

describe('what pmset prints', () => {
  it('names what power is drawn from', () => {
    const on = `Now drawing from 'Battery Power'\n -InternalBattery-0 (id=23134307)${PERCENT}\n`;
    const off = `Now drawing from 'AC Power'\n -InternalBattery-0 (id=4653155)\t100%; charged; 0:00 remaining present: true\n`;
    expect(batteryOnMac(on)).toBe(true);
    expect(batteryOnMac(off)).toBe(false);
  });

  it('says nothing where there is no battery, or nothing was printed', () => {
    expect(batteryOnMac(`Now drawing from 'AC Power'\n`)).toBeUndefined();
    expect(
      batteryOnMac(`Now drawing from 'UPS Power'\n -Back-UPS ES 700 (id=1)\t96%; discharging\n`),
    ).toBeUndefined();
    expect(batteryOnMac('')).toBeUndefined();
  });
});

describe('what Windows says of its batteries', () => {
  it('is a battery where each is discharged', () => {
    expect(batteryOnWindows('1\r\n')).toBe(true);
    expect(batteryOnWindows('5\r\n')).toBe(true);
    expect(batteryOnWindows('1\r\n4\r\n')).toBe(true);
    expect(batteryOnWindows('2\r\n')).toBe(false);
    expect(batteryOnWindows('1\r\n2\r\n')).toBe(false);
    expect(batteryOnWindows('6\r\n')).toBe(false);
  });

  it('is nothing where there is none', () => {
    expect(batteryOnWindows('')).toBeUndefined();
    expect(batteryOnWindows('Get-CimInstance : Access denied\r\n')).toBeUndefined();
  });
});

describe('the power source', () => {
  it('is asked seldom, and tells of changes', async () => {
    let now = 0;
    let plugged = false;
    const ask = vi.fn(() => Promise.resolve(!plugged));
    const changed = vi.fn();
    const source = new PowerSource({ ask, freshMs: 60_000, now: () => now }, changed);
    expect(source.onBattery).toBe(false);
    await source.look();
    expect([source.onBattery, changed.mock.calls.length]).toEqual([true, 1]);
    now = 59_999;
    plugged = true;
    await source.look();
    expect([source.onBattery, ask.mock.calls.length]).toEqual([true, 1]);
    now = 60_000;
    await Promise.all([source.look(), source.look()]);
    expect([source.onBattery, ask.mock.calls.length, changed.mock.calls.length]).toEqual([false, 2, 2]);
  });

  it('is the mains where the system does not say', async () => {
    const changed = vi.fn();
    const source = new PowerSource(
      { ask: () => Promise.resolve(undefined), freshMs: 1, now: () => 5 },
      changed,
    );
    await source.look();
    expect(source.onBattery).toBe(false);
    expect(changed).not.toHaveBeenCalled();
    expect(await powerParts('aix').ask()).toBeUndefined();
  });

  it('asks this machine without failing', async () => {
    expect([true, false, undefined]).toContain(await powerParts(process.platform).ask());
  });
});
