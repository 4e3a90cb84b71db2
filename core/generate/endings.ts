/** How generating at the cursor can end: a closed set. */
export const ENDINGS = {
  finished: 'The text is generated.',
  stopped: 'Generating was stopped.',
  edited: 'The generated text, or what it was to replace, was edited, so nothing more was added.',
  closed: 'The document was closed while text was generated.',
  refused: 'The document cannot be edited.',
  no_other: 'The model has no other text that differs in more than blanks.',
  nothing_generated: 'Generate a text at the cursor first; nothing else may have changed since.',
  nothing: 'The model had nothing to add at the cursor.',
  not_here: 'Text cannot be generated here.',
  not_ready: 'The engine does not run.',
  failed: 'The engine reported an error.',
  already_running: 'Text is being generated already; Escape stops it.',
  no_editor: 'Open a file first; text is generated at its cursor.',
} as const;

export type Ending = keyof typeof ENDINGS;

/** Endings that do not puzzle whoever asked for text; the others are told. */
export const UNTOLD: ReadonlySet<Ending> = new Set(['finished', 'stopped', 'edited', 'closed']);
