/**
 * The templates that the files of well-known families hold, and the text that each makes of one conversation, as transformers makes it
 * with Jinja for Python. What is said has blanks around it, which some templates strip.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChatMessage } from '../../../core/chat/messages';
import { laidOut } from '../../../core/chat/turns';
import { renderingHere } from './made_up_vocabulary';

const TEMPLATES = join(import.meta.dirname, '..', '..', 'fixtures', 'chat_templates');

const CONVERSATION: readonly ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: '  What is 1 + 1?\n' },
  { role: 'assistant', content: 'Two.' },
  { role: 'user', content: 'And 2 + 2?' },
];

const CHATML_TEXT =
  '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n  What is 1 + 1?\n<|im_end|>\n<|im_start|>assistant\nTwo.<|im_end|>\n<|im_start|>user\nAnd 2 + 2?<|im_end|>\n<|im_start|>assistant\n';

const LLAMA_TURNS =
  '<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nWhat is 1 + 1?<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nTwo.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nAnd 2 + 2?<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n';

/** By the names of the files. */
const EXPECTED: Readonly<Record<string, string>> = {
  smollm2: CHATML_TEXT,
  'qwen2.5': CHATML_TEXT,
  // Told not to think aloud.
  qwen3: `${CHATML_TEXT}<think>\n\n</think>\n\n`,
  'llama-3': `<BOS><|start_header_id|>system<|end_header_id|>\n\nBe brief.${LLAMA_TURNS}`,
  'llama-3.2': `<BOS><|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 2023\nToday Date: 07 Nov 2026\n\nBe brief.${LLAMA_TURNS}`,
  // It refuses a system's turn.
  'gemma-2':
    '<BOS><start_of_turn>user\nBe brief.\n\n  What is 1 + 1?<end_of_turn>\n<start_of_turn>model\nTwo.<end_of_turn>\n<start_of_turn>user\nAnd 2 + 2?<end_of_turn>\n<start_of_turn>model\n',
  'gemma-3':
    '<BOS><start_of_turn>user\nBe brief.\n\nWhat is 1 + 1?<end_of_turn>\n<start_of_turn>model\nTwo.<end_of_turn>\n<start_of_turn>user\nAnd 2 + 2?<end_of_turn>\n<start_of_turn>model\n',
  'phi-3':
    '<|system|>\nBe brief.<|end|>\n<|user|>\n  What is 1 + 1?\n<|end|>\n<|assistant|>\nTwo.<|end|>\n<|user|>\nAnd 2 + 2?<|end|>\n<|assistant|>\n',
  'phi-4':
    '<|im_start|>system<|im_sep|>Be brief.<|im_end|><|im_start|>user<|im_sep|>  What is 1 + 1?\n<|im_end|><|im_start|>assistant<|im_sep|>Two.<|im_end|><|im_start|>user<|im_sep|>And 2 + 2?<|im_end|><|im_start|>assistant<|im_sep|>',
  // It refuses a system's turn.
  'mistral-7b-v0.2': '<BOS>[INST] Be brief.\n\n  What is 1 + 1?\n [/INST]Two.<EOS>[INST] And 2 + 2? [/INST]',
  // It says the system's turn last.
  'mistral-7b-v0.3': '<BOS>[INST]   What is 1 + 1?\n[/INST] Two.<EOS>[INST] Be brief.\n\nAnd 2 + 2?[/INST]',
  'deepseek-coder':
    '<BOS>Be brief.### Instruction:\n  What is 1 + 1?\n\n### Response:\nTwo.\n<|EOT|>\n### Instruction:\nAnd 2 + 2?\n### Response:\n',
  'deepseek-v3':
    '<BOS>Be brief.<｜User｜>  What is 1 + 1?\n<｜Assistant｜>Two.<｜end▁of▁sentence｜><｜User｜>And 2 + 2?<｜Assistant｜>',
  // It opens a thought, which is closed.
  'deepseek-r1-distill':
    '<BOS>Be brief.<｜User｜>  What is 1 + 1?\n<｜Assistant｜>Two.<｜end▁of▁sentence｜><｜User｜>And 2 + 2?<｜Assistant｜><think>\n\n</think>\n\n',
  'granite-3':
    '<|start_of_role|>system<|end_of_role|>Be brief.<|end_of_text|>\n<|start_of_role|>user<|end_of_role|>  What is 1 + 1?\n<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>Two.<|end_of_text|>\n<|start_of_role|>user<|end_of_role|>And 2 + 2?<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>',
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 7, 12) });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the template of', () => {
  it.each(Object.entries(EXPECTED))('%s', async (name, expected) => {
    const template = readFileSync(join(TEMPLATES, `${name}.jinja`), 'utf8');
    const order = { template, messages: CONVERSATION, beginToken: '<BOS>', endToken: '<EOS>' };
    const parts = await laidOut(renderingHere(), order);
    expect(parts.ok ? parts.value.map(({ text }) => text).join('') : parts.error).toBe(expected);
    if (!parts.ok) return;
    const said = parts.value.filter(({ fromTemplate }) => !fromTemplate).map(({ text }) => text);
    expect(said.flatMap((text) => text.split(/\n+/).map((line) => line.trim())).toSorted()).toEqual(
      CONVERSATION.map(({ content }) => content.trim()).toSorted(),
    );
  });

  it('each file is in the table', () => {
    const files = readdirSync(TEMPLATES).filter((name) => name.endsWith('.jinja'));
    expect(files.map((name) => name.replace(/\.jinja$/, '')).toSorted()).toEqual(
      Object.keys(EXPECTED).toSorted(),
    );
  });
});
