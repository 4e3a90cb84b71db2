/**
 * Why a request ended as it did: a closed set. Every case in which nothing is shown has a member here, and its sentence is
 * what "Why Was Nothing Suggested?" and the log say.
 */
export const REASONS = {
  shown: 'A suggestion was shown.',
  disabled: 'Emberline is turned off (setting emberline.enable).',
  paused: 'Emberline is paused; a click on its status bar item goes on.',
  battery: 'The machine runs on its battery (setting emberline.onBattery).',
  disabled_for_language: 'Emberline is turned off for this language (setting emberline.languages).',
  excluded_file:
    'Files with this name may hold secrets and are left alone (setting emberline.excludedFiles).',
  source_control_input:
    'The commit box is left alone until you ask: Alt+\\, or "scminput" in emberline.languages.',
  unsupported_document: 'This kind of document (an output panel, for example) gets no suggestions.',
  read_only: 'The document cannot be edited.',
  selection: 'Text is selected; suggestions appear at a plain cursor.',
  multiple_cursors: 'There are several cursors; suggestions appear at a single one.',
  inside_character: 'The cursor is between the two halves of one character.',
  inside_word: 'The cursor is in a word.',
  blank_document: 'There is no text before the cursor to continue.',
  line_too_long: 'The line is too long to be written by hand; generated text gets no suggestions.',
  binary_content: 'The text near the cursor is not text but binary data.',
  suggest_widget: 'The selected entry of the suggestion list cannot be extended.',
  model_loading: 'The model is still loading.',
  model_failed: 'The engine does not run; the log has the details.',
  engine_stopped: 'The engine is stopped.',
  generating: 'Text is being generated at the cursor; suggestions come back when that is over.',
  engine_error: 'The engine reported an error; the log has the details.',
  cancelled: 'The request was cancelled, most likely because you typed on.',
  stale: 'The document changed while the suggestion was computed.',
  line_complete: 'The line looks complete; there is nothing to add.',
  blank_result: 'The model had nothing visible to add.',
  not_text: 'The model produced characters that cannot be shown.',
  already_there: 'The text right of the cursor already says what the model suggests.',
  does_not_fit: 'The suggestion does not join the text right of the cursor.',
  repeats_line: 'The suggestion would only repeat a neighbouring line.',
  repetitive: 'The model repeated itself.',
  taken_back: 'You deleted, undid or dismissed this here; ask for a suggestion to see it.',
  low_confidence: 'The model was not sure enough (setting emberline.completion.eagerness).',
} as const;

export type Reason = keyof typeof REASONS;

/** Why the engine cannot be asked in a state. */
export const REASON_OF_STATE = {
  loading: 'model_loading',
  failed: 'model_failed',
  stopped: 'engine_stopped',
} as const satisfies Readonly<Record<string, Reason>>;
