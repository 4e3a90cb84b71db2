/**
 * A conversation as the prompt of a model: laid out by the template of its file. Control tokens are ids, and stand only where the template
 * wrote them; all else is text, joined as the model was taught it.
 */
import { OWN_LAYOUT } from '../completion/fim_layout';
import type { NativeResult } from '../engine/native_result';
import type { NativeChat, NativeFim, NativePrompt } from '../engine/native_types';
import { controlTokens, type Vocabulary, withIds } from './control_tokens';
import type { RenderTemplate } from './limited_rendering';
import type { ChatMessage } from './messages';
import { laidOut } from './turns';

/** Of a model. */
export interface ChatModel extends Vocabulary {
  readonly chat?: NativeChat | undefined;
  readonly fim?: NativeFim | undefined;
}

const TURN_BEGINS = '<|im_start|>';
const TURN_ENDS = '<|im_end|>';
/** ChatML. */
const CHATML =
  "{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}{% endfor %}{{ '<|im_start|>assistant\n' }}";

/** Undefined where the model knows no turns. The errors of RenderTemplate, and of the engine. */
export async function chatPrompt(
  model: ChatModel,
  render: RenderTemplate,
  messages: readonly ChatMessage[],
): Promise<NativeResult<NativePrompt | undefined>> {
  const template = await templateOf(model);
  if (!template.ok) return template;
  if (template.value === undefined) return { ok: true, value: undefined };
  const { beginToken = '', endToken = '' } = model.chat ?? {};
  const parts = await laidOut(render, { template: template.value, messages, beginToken, endToken });
  if (!parts.ok) return parts;
  const written = parts.value.filter(({ fromTemplate }) => fromTemplate).map(({ text }) => text);
  // Apart by a break, so that no two of them make a name together.
  const names = await controlTokens(model, written.join('\n'));
  if (!names.ok) return names;
  const prompt = parts.value.flatMap(({ text, fromTemplate }) =>
    fromTemplate ? withIds(text, names.value) : [text],
  );
  return { ok: true, value: joined(prompt) };
}

/**
 * Undefined where there is none. One that was taught our own layout was taught to complete code, and does no better by turns than asked
 * plainly, where it has not forgotten how they end. A file without a template wants ChatML where a text of its model ends as a turn of that does.
 */
async function templateOf(model: ChatModel): Promise<NativeResult<string | undefined>> {
  const { chat, fim } = model;
  const none = { ok: true, value: undefined } as const;
  if (fim?.layout === OWN_LAYOUT || chat === undefined) return none;
  if (chat.template !== '') return { ok: true, value: chat.template };
  if (chat.endToken !== TURN_ENDS) return none;
  const ids = await model.tokenize(TURN_BEGINS, true);
  if (!ids.ok) return ids;
  return ids.value.length === 1 ? { ok: true, value: CHATML } : none;
}

/** Texts side by side are one, of which tokens may span the place where they meet. */
function joined(parts: readonly (string | number)[]): (string | number)[] {
  const prompt: (string | number)[] = [];
  for (const part of parts) {
    const last = prompt.at(-1);
    if (typeof part === 'string' && typeof last === 'string') prompt[prompt.length - 1] = last + part;
    else prompt.push(part);
  }
  return prompt;
}
