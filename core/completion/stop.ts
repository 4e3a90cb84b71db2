/** Why generation ended: the engine's own set, and two members for requests that never ran or failed. */
export const STOPS = {
  end_token: 'The model ended the text.',
  line_end: 'The line ended.',
  max_tokens: 'The limit of tokens was reached.',
  context_full: 'The context is full.',
  grammar: 'The grammar allows nothing more.',
  unsure: 'It became too unlikely to be shown.',
  cancelled: 'The request was cancelled.',
  not_run: 'The model was not asked.',
  failed: 'The engine reported an error.',
} as const;

export type Stop = keyof typeof STOPS;
