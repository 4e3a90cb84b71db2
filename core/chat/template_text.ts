/** Renders a template of a model's file. It is a program by whoever made the file: template_process.ts alone runs it, under limits. */
import { Template } from '@huggingface/jinja';
import type { RenderOrder, RenderAnswer } from './render_messages';

/** More is no prompt: UTF-16 units. */
export const MOST_RENDERED = 1_000_000;

/** As the template's author sees it in transformers (`apply_chat_template`): the same names, the same whitespace. Never throws. */
export function renderedText({ template, messages, beginToken, endToken }: RenderOrder): RenderAnswer {
  try {
    const text = new Template(template).render({
      messages: messages.map(({ role, content }) => ({ role, content })),
      tools: null,
      documents: null,
      bos_token: beginToken,
      eos_token: endToken,
      add_generation_prompt: true,
      // What follows is bound to a form; there is no room to think aloud.
      enable_thinking: false,
    });
    if (text.length > MOST_RENDERED) return { ok: false, reason: 'it makes more text than any prompt has' };
    return { ok: true, text };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
}

/** What the template says of itself, or the library of the template: one line, and no long one. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const line = message.split('\n', 1)[0]?.trim().slice(0, 200) ?? '';
  return line === '' ? 'it gave no reason' : line;
}
