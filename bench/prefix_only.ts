/** What a model makes that is not told what follows the cursor; all else is as in an editor, where text stands there. */
import type { DocumentSnapshot } from '../core/completion/document';
import type { EngineAnswer } from '../core/completion/engine_port';
import { type Extras, PromptWriter, type RequestOptions, type Send } from '../core/completion/prompt_writer';

/** Writes prompts as at the end of a document. The pipeline still fits what comes to the text that follows. */
export class PrefixOnlyPrompts extends PromptWriter {
  override ask(
    document: DocumentSnapshot,
    options: RequestOptions,
    beside: readonly string[],
    send: Send,
    extras?: Extras,
  ): Promise<EngineAnswer> {
    return super.ask({ ...document, after: '' }, options, beside, send, extras);
  }
}
