/** Whether to ask the model at all. Cheap: it runs on each keystroke. */
import { endsWithIdentifier, looksBinary, splitsCharacter, startsWithIdentifier } from './characters';
import { type DocumentSnapshot, lineAfter, lineBefore } from './document';
import { isExcluded } from './excluded_files';
import { type CompletionOptions, languageEnabled } from './options';
import type { Reason } from './reasons';

/** Nobody writes such a line; minified and generated text does, UTF-16 units. */
export const MAX_LINE = 10_000;
/** How much text around the cursor is searched for signs of binary data, UTF-16 units. */
const BINARY_WINDOW = 2_048;

/** The source-control input box is a language of its own in VS Code. */
const SOURCE_CONTROL_LANGUAGE = 'scminput';

/**
 * Why the model is not asked here, or undefined when it is.
 * @param explicit Whether somebody asked for a suggestion.
 */
export function refusal(
  document: DocumentSnapshot,
  options: CompletionOptions,
  explicit = false,
): Reason | undefined {
  return refusalOfDocument(document, options, explicit) ?? ofCursor(document);
}

/** Why the model is not asked in this document, wherever the cursor is. */
export function refusalOfDocument(
  document: DocumentSnapshot,
  options: CompletionOptions,
  explicit = false,
): Reason | undefined {
  return ofSettings(document, options, explicit) ?? ofDocument(document);
}

/** Whether suggestions come in the commit box unasked. */
export function completesMessages({ languages }: Pick<CompletionOptions, 'languages'>): boolean {
  return languages[SOURCE_CONTROL_LANGUAGE] === true;
}

/** Why nothing is suggested at the moment in any document. */
export function ofMoment(
  { enabled, restraint }: Pick<CompletionOptions, 'enabled' | 'restraint'>,
  explicit: boolean,
): Reason | undefined {
  if (!enabled) return 'disabled';
  return restraint === undefined || (explicit && restraint.unlessAsked) ? undefined : restraint.reason;
}

function ofSettings(
  document: DocumentSnapshot,
  options: CompletionOptions,
  explicit: boolean,
): Reason | undefined {
  const held = ofMoment(options, explicit);
  if (held !== undefined) return held;
  if (document.kind === 'source_control') {
    return completesMessages(options) ? undefined : 'source_control_input';
  }
  if (document.kind === 'commit_message') return undefined;
  if (!languageEnabled(options.languages, document.languageId)) return 'disabled_for_language';
  return isExcluded(document, options.excludedFiles) ? 'excluded_file' : undefined;
}

function ofDocument(document: DocumentSnapshot): Reason | undefined {
  if (document.kind === 'unsupported') return 'unsupported_document';
  if (document.kind === 'read_only') return 'read_only';
  if (document.lineLength > MAX_LINE) return 'line_too_long';
  const near = document.before.slice(-BINARY_WINDOW) + document.after.slice(0, BINARY_WINDOW);
  return looksBinary(near) ? 'binary_content' : undefined;
}

function ofCursor(document: DocumentSnapshot): Reason | undefined {
  if (!document.selectionEmpty) return 'selection';
  if (document.cursors > 1) return 'multiple_cursors';
  if (splitsCharacter(document.before, document.after)) return 'inside_character';
  if (document.before.trim() === '') return 'blank_document';
  // In front of a word there is room for more, which has to lead to that word.
  const word = endsWithIdentifier(lineBefore(document)) && startsWithIdentifier(lineAfter(document));
  return word ? 'inside_word' : undefined;
}
