/** What keeps suggestions back for a while, whatever the settings say of languages and files: a pause, or a battery. */
import type { Reason } from './reasons';

/** What becomes of suggestions while the machine runs on its battery: `quiet` reads nothing ahead and suggests when asked. */
export const ON_BATTERY = ['asUsual', 'quiet', 'off'] as const;
export type OnBattery = (typeof ON_BATTERY)[number];

/** What holds at the moment. */
export interface Circumstances {
  readonly paused: boolean;
  readonly battery: boolean;
}

export interface Restraint {
  readonly reason: Extract<Reason, 'paused' | 'battery'>;
  /** Whether a suggestion comes all the same where somebody asks for it. */
  readonly unlessAsked: boolean;
}

/** Undefined where nothing is kept back. */
export function restraintOf(onBattery: OnBattery, { paused, battery }: Circumstances): Restraint | undefined {
  if (paused) return { reason: 'paused', unlessAsked: false };
  if (!battery || onBattery === 'asUsual') return undefined;
  return { reason: 'battery', unlessAsked: onBattery === 'quiet' };
}

/** The options while something is kept back: nothing is read ahead either. */
export function restrained<T extends { readonly prepares: boolean; readonly onBattery: OnBattery }>(
  options: T,
  circumstances: Circumstances,
): T & { readonly restraint?: Restraint } {
  const restraint = restraintOf(options.onBattery, circumstances);
  return restraint === undefined ? options : { ...options, prepares: false, restraint };
}
