/** How sure one may be of the models that the user chose, from start to start: counts, in what VS Code remembers for the extension. */
import { Calibration, type CalibrationCounts, STRETCHES } from '../../core/completion/calibration';
import { listOf } from '../../core/http/json_values';
import { isCount, isList, isObject, isText } from '../../core/statistics/shape';

const KEY = 'emberline.calibrations';
/** Models, the one of which something was learnt last first. */
const MOST = 16;

interface Kept extends CalibrationCounts {
  readonly model: string;
}

const isKept = isObject<Kept>({
  model: isText(4_096),
  lines: isList(isCount, STRETCHES),
  right: isList(isCount, STRETCHES),
});

/** A `vscode.Memento`, as far as it is needed. */
interface State {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

export class Calibrations {
  private readonly state: State;
  private readonly inUse = new Map<string, Calibration>();

  constructor(state: State) {
    this.state = state;
  }

  /** @param model What the user knows it by: a path, or a server and a name. */
  of(model: string): Calibration {
    const known = this.inUse.get(model);
    if (known !== undefined) return known;
    const counts = this.kept().find((one) => one.model === model);
    const calibration = new Calibration(counts, (now) => this.keep(model, now));
    this.inUse.set(model, calibration);
    return calibration;
  }

  /** Of two windows in which the same model is learnt the later one has its way: what the other learnt is a few lines. */
  private keep(model: string, counts: CalibrationCounts): void {
    const others = this.kept().filter((one) => one.model !== model);
    const kept: readonly Kept[] = [{ model, ...counts }, ...others].slice(0, MOST);
    // Where it cannot be written it is learnt anew.
    this.state.update(KEY, kept).then(undefined, () => undefined);
  }

  private kept(): readonly Kept[] {
    return listOf(this.state.get(KEY)).filter(isKept).filter(isWhole);
  }
}

function isWhole({ lines, right }: Kept): boolean {
  return (
    lines.length === STRETCHES &&
    right.length === STRETCHES &&
    right.every((count, at) => count <= (lines[at] ?? 0))
  );
}
