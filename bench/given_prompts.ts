/** What a model makes that is not told what follows the cursor; all else is as in an editor, where text stands there. */
import { type Place, PromptWriter, type Written } from '../core/completion/prompt_writer';

/** Writes prompts as at the end of a document. The pipeline still fits what comes to the text that follows. */
export class PrefixOnlyPrompts extends PromptWriter {
  override write(place: Place, part?: number): Written {
    return super.write({ ...place, document: { ...place.document, after: '' } }, part);
  }
}
