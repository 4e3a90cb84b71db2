/** What Emberline is doing, in one word, for the status bar. */
import type { EngineState } from '../core/completion/engine_port';
import type { Restraint } from '../core/completion/restraint';

export const STATUSES = ['loading', 'ready', 'working', 'generating', 'paused', 'off', 'error'] as const;
export type Status = (typeof STATUSES)[number];

export interface Activity {
  readonly engine: EngineState;
  /** A text or an edit is being written. */
  readonly writing: boolean;
  /** A suggestion is taking long enough to be noticed. */
  readonly working: boolean;
  /** Suggestions are on, as the settings say. */
  readonly enabled: boolean;
  /** They are on for the language of the document one looks at. */
  readonly enabledHere: boolean;
  readonly restraint: Restraint | undefined;
}

/** What matters most to whoever looks there: errors first, then what they asked for, then why nothing comes. */
export function statusOf(activity: Activity): Status {
  const { engine, writing, working, enabled, enabledHere, restraint } = activity;
  if (engine === 'failed') return 'error';
  if (writing) return 'generating';
  if (engine === 'stopped' || !enabled) return 'off';
  if (restraint?.reason === 'paused') return 'paused';
  if (!enabledHere || restraint?.unlessAsked === false) return 'off';
  if (engine === 'loading') return 'loading';
  return working ? 'working' : 'ready';
}
