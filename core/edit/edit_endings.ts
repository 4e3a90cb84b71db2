/** How a structured edit can end: a closed set. */
export const EDIT_ENDINGS = {
  proposed: 'An edit is proposed.',
  applied: 'The edit is made; one undo takes it back.',
  discarded: 'The edit was not made.',
  unchanged:
    'The model proposes no change. A small model follows small instructions: rename a to b, add a parameter c, add a docstring.',
  no_other: 'The model has no other edit to propose that differs in more than blanks.',
  no_such_name: 'That name does not occur in the selected lines.',
  unsound:
    'The model proposes an edit that breaks the text, so it is not offered. Try again with fewer lines, or other words.',
  cut: 'The answer became too long and was cut off, so it is not offered. Select fewer lines.',
  too_long: 'These are more lines than a model can edit at once. Select fewer.',
  not_writable: 'The lines hold control characters that a model cannot write. Select other lines.',
  document_changed: 'The document changed meanwhile, so the edit no longer fits and was not made. Ask again.',
  cancelled: 'Editing was cancelled; nothing was changed.',
  not_here: 'Text cannot be edited here.',
  not_ready: 'The engine does not run.',
  failed: 'The engine reported an error.',
  already_running: 'The model is writing already, or an edit is shown; see to that first.',
  no_editor: 'Open a file first, and select the lines to edit.',
} as const;

export type EditEnding = keyof typeof EDIT_ENDINGS;

/** Endings that do not puzzle whoever asked for an edit; the others are told. */
export const UNTOLD_EDITS: ReadonlySet<EditEnding> = new Set([
  'proposed',
  'applied',
  'discarded',
  'cancelled',
]);
