/** A conversation with a model, before any template has laid it out. */

export type ChatRole = 'system' | 'user' | 'assistant';

export interface ChatMessage {
  readonly role: ChatRole;
  /** Not blank. May hold text of a document: whatever it spells, no part of it is read as a control token. */
  readonly content: string;
}

/** For templates that refuse a system's turn: what it says stands in front of what the user says first. */
export function withoutSystem(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const said = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const turns = messages.filter(({ role }) => role !== 'system');
  const first = turns.findIndex(({ role }) => role === 'user');
  return turns.map((turn, index) =>
    index === first ? { ...turn, content: [...said, turn.content].join('\n\n') } : turn,
  );
}
