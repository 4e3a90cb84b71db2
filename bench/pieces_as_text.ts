/** What pieces of other files are worth to a model that was not taught to fill in the middle, which an editor gives none. */
import type { GenerationEngine } from '../core/completion/engine_port';
import type { NativeFim } from '../core/engine/native_types';

/** Without a separator pieces are text in front of the file's; the marks are written where there is a suffix, which such a model is never given. */
const NO_MARKS: NativeFim = { layout: 'suffix_prefix_middle', prefix: 0, suffix: 0, middle: 0 };

/** The same engine, as one that reads pieces as text, each behind the comment that names its file. No suffix may be given to it. */
export function readingPiecesAsText(engine: GenerationEngine): GenerationEngine {
  return {
    get state() {
      return engine.state;
    },
    get speed() {
      return engine.speed;
    },
    get context() {
      return engine.context;
    },
    get parameters() {
      return engine.parameters;
    },
    get generating() {
      return engine.generating ?? false;
    },
    fim: NO_MARKS,
    complete: (request, signal) => engine.complete(request, signal),
    generate: (request, signal, onText) => engine.generate(request, signal, onText),
  };
}
