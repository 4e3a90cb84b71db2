/**
 * Lays a conversation out by a template, and says which parts of the result the template wrote and which stood in the messages.
 *
 * The template never sees what is said: a mark stands for it, with the blanks that the text begins and ends with, as templates strip
 * those. So nothing that a document holds can steer a template either.
 */
import type { NativeResult } from '../engine/native_result';
import type { RenderTemplate } from './limited_rendering';
import { type ChatMessage, withoutSystem } from './messages';
import type { RenderOrder } from './render_messages';

export interface LaidOut {
  readonly text: string;
  /** Whether the template wrote it: then control tokens that it spells are meant. */
  readonly fromTemplate: boolean;
}

/** Private characters, which neither a template nor a trimming knows. */
const MARK = /\ue000(\d+)\ue001/;
const markOf = (index: number): string => `\ue000${index}\ue001`;

/** Of models that think before they answer, some templates open that part for them. */
const OPEN_THOUGHT = /<think>\s*$/;
const NO_THOUGHT = '\n</think>\n\n';

/**
 * Up to where the model answers. A system's turn that the template refuses, or leaves out, is told in the user's. The errors of RenderTemplate,
 * CHAT_TEMPLATE_INVALID also where the template loses what is said.
 */
export async function laidOut(
  render: RenderTemplate,
  order: RenderOrder,
): Promise<NativeResult<readonly LaidOut[]>> {
  const parts = await laidOutAs(render, order);
  const { messages } = order;
  if (parts.ok || parts.error.code !== 'CHAT_TEMPLATE_INVALID' || messages[0]?.role !== 'system')
    return parts;
  const merged = await laidOutAs(render, { ...order, messages: withoutSystem(messages) });
  return merged.ok ? merged : parts;
}

async function laidOutAs(
  render: RenderTemplate,
  order: RenderOrder,
): Promise<NativeResult<readonly LaidOut[]>> {
  const contents = order.messages.map(({ content }) => split(content));
  const messages = order.messages.map(({ role }, index): ChatMessage => {
    const { before, behind } = contents[index] ?? NOTHING;
    return { role, content: before + markOf(index) + behind };
  });
  const rendered = await render({ ...order, messages });
  if (!rendered.ok) return rendered;
  const [first = '', ...rest] = rendered.value.split(MARK);
  const parts: LaidOut[] = [{ text: first, fromTemplate: true }];
  const seen = new Set<number>();
  for (let at = 0; at + 1 < rest.length; at += 2) {
    const index = Number(rest[at]);
    const content = contents[index];
    if (content === undefined || seen.has(index)) return LOST;
    seen.add(index);
    parts.push({ text: content.core, fromTemplate: false }, { text: rest[at + 1] ?? '', fromTemplate: true });
  }
  if (seen.size !== contents.length) return LOST;
  const last = parts.at(-1)?.text ?? '';
  if (OPEN_THOUGHT.test(last)) parts.push({ text: NO_THOUGHT, fromTemplate: true });
  return { ok: true, value: parts.filter(({ text }) => text !== '') };
}

interface Content {
  readonly before: string;
  readonly core: string;
  readonly behind: string;
}

const NOTHING: Content = { before: '', core: '', behind: '' };

function split(content: string): Content {
  const core = content.trim();
  const start = content.indexOf(core);
  return { before: content.slice(0, start), core, behind: content.slice(start + core.length) };
}

const LOST = {
  ok: false,
  error: {
    code: 'CHAT_TEMPLATE_INVALID',
    message:
      "The chat template of the model's file does not pass on what is said; choose another file of the model, or another model.",
  },
} as const;
