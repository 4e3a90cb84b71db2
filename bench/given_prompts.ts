/** What a model makes that is told less than an editor would tell it; all else is as there. */
import type { CompletionEngine } from '../core/completion/engine_port';
import { type Place, PromptWriter, type Written } from '../core/completion/prompt_writer';

/** What a request is made of beside the text before the cursor; default: all of it. */
export interface Given {
  /** Whether what follows the cursor is given: to a model that reads it, and to its memory. */
  readonly suffix?: boolean;
  /** Whether the document beyond the prompt has a say in the law. */
  readonly memory?: boolean;
}

/** Writes prompts without what is not given. The pipeline still fits what comes to the text that follows. */
export class GivenPrompts extends PromptWriter {
  private readonly given: Given;

  constructor(engine: CompletionEngine, given: Given) {
    super(engine);
    this.given = given;
  }

  override write(place: Place, part?: number): Written {
    const { suffix = true, memory = true } = this.given;
    const document = suffix ? place.document : { ...place.document, after: '' };
    const written = super.write({ ...place, document }, part);
    return memory
      ? written
      : { ...written, request: { ...written.request, remembered: 0, rememberedBeside: 0 } };
  }
}
