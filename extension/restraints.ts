/** What keeps suggestions back at the moment: the user's pause, and the battery where the settings say so. */
import { Pause } from '../core/completion/pause';
import type { CompletionOptions } from '../core/completion/options';
import { type Restraint, restrained } from '../core/completion/restraint';
import { type PowerParts, PowerSource } from '../core/power/power_source';

export class Restraints {
  readonly pause: Pause;
  private readonly power: PowerSource;
  private readonly options: () => CompletionOptions;
  private disposed = false;

  /**
   * @param options As the settings have them.
   * @param changed Called when something else may hold.
   */
  constructor(options: () => CompletionOptions, power: PowerParts, changed: () => void) {
    this.options = options;
    // The system may answer when nobody is there any more.
    const tell = (): void => (this.disposed ? undefined : changed());
    this.pause = new Pause(Date.now, tell);
    this.power = new PowerSource(power, tell);
  }

  /** The options as they hold now. */
  get applied(): CompletionOptions {
    const { onBattery } = this.power;
    return restrained(this.options(), { paused: this.pause.until !== undefined, battery: onBattery });
  }

  get current(): Restraint | undefined {
    return this.applied.restraint;
  }

  /** Called where somebody works: what the battery does is not asked otherwise, nor where it makes no difference. */
  look(): void {
    this.pause.look();
    if (this.options().onBattery !== 'asUsual') void this.power.look();
  }

  dispose(): void {
    this.disposed = true;
    this.pause.dispose();
  }
}
