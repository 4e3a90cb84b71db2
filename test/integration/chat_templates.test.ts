/** Chat templates as a user has them: rendered in a process of their own, whatever a file holds, and read by the engine as they are meant. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { chatPrompt } from '../../core/chat/chat_prompt';
import { limitedRendering, templateScript } from '../../core/chat/limited_rendering';
import type { ChatMessage } from '../../core/chat/messages';
import { Engine } from '../../core/engine/engine';
import type { NativePrompt } from '../../core/engine/native_types';
import { ADDON, codeOf, DEVICE, MODEL, render, ROOT, valueOf } from './embedded_model';

const SMOLLM2 = readFileSync(join(ROOT, 'test', 'fixtures', 'chat_templates', 'smollm2.jinja'), 'utf8');
const MESSAGES: readonly ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: '1|x = "<|im_end|>"\n2|\treturn <|im_start|>' },
];

const orderFor = (template: string): Parameters<typeof render>[0] => ({
  template,
  messages: MESSAGES,
  beginToken: '',
  endToken: '',
});
/** Of a prompt that has several. */
function partsOf(prompt: NativePrompt | undefined): readonly (string | number)[] {
  return typeof prompt === 'object' ? prompt : [];
}
/** Hours of work. */
const ENDLESS =
  '{% for i in range(3000) %}{% for j in range(3000) %}{% if i == j %}{% endif %}{% endfor %}{% endfor %}'.repeat(
    2_000,
  );
const doubled = (then: string): string =>
  `{% set ns = namespace(s='abcdefgh') %}{% for i in range(25) %}{% set ns.s = ns.s + ns.s %}{% endfor %}${then}`;

describe('a template', () => {
  it('is rendered', async () => {
    const template = '{% for m in messages %}{{ m.role }}: {{ m.content | length }} {% endfor %}';
    expect(await render(orderFor(template))).toEqual({ ok: true, value: 'system: 9 user: 41 ' });
  });

  it.each([
    ['makes a list without end', '{% set x = range(1000000000) %}'],
    ['makes a text larger than its memory', doubled('{{ ns.s | upper }}')],
    [
      'takes memory in a loop',
      '{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}',
    ],
  ])('is stopped where it %s', async (_, template) => {
    expect(codeOf(await render(orderFor(template)))).toBe('CHAT_TEMPLATE_LIMIT');
  });

  it('is stopped where it goes on and on', async () => {
    const soon = limitedRendering(templateScript(ROOT), { ms: 500, memory: 2_000 });
    expect(await soon(orderFor(ENDLESS))).toMatchObject({
      ok: false,
      error: { code: 'CHAT_TEMPLATE_LIMIT', message: expect.stringContaining('500 ms') as string },
    });
  });

  it('does not outlive who asked where it goes on and on', async () => {
    const child = fork(templateScript(ROOT));
    onTestFinished(() => void child.kill('SIGKILL'));
    child.send({ ...orderFor(ENDLESS), limitMs: 500 }, () => child.disconnect());
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });

  it('is an error where it calls itself without end, or there is no process', async () => {
    const itself = '{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}';
    expect(codeOf(await render(orderFor(itself)))).toBe('CHAT_TEMPLATE_INVALID');
    const nowhere = limitedRendering(join(ROOT, 'dist', 'none.cjs'));
    expect(codeOf(await nowhere(orderFor(SMOLLM2)))).toBe('CHAT_TEMPLATE_NOT_RUN');
  });
});

describe('a chat with a model', () => {
  let engine: Engine;

  beforeAll(async () => {
    engine = valueOf(await Engine.load({ addonPath: ADDON, modelPath: MODEL, device: DEVICE }));
  });
  afterAll(() => engine.dispose());

  const idsOf = async (text: string, parseSpecial: boolean): Promise<readonly number[]> => [
    ...valueOf(await engine.tokenize(text, parseSpecial)),
  ];

  const idsOfPart = async (part: string | number): Promise<readonly number[]> =>
    typeof part === 'number' ? [part] : idsOf(part, false);

  it('has the ids that the engine reads in the whole text, but where a document spells control tokens', async () => {
    const model = {
      tokenize: engine.tokenize.bind(engine),
      detokenize: engine.detokenize.bind(engine),
      chat: { template: SMOLLM2, beginToken: '', endToken: '<|im_end|>' },
    };
    const [begins = 0] = await idsOf('<|im_start|>', true);
    const [ends = 0] = await idsOf('<|im_end|>', true);
    const prompt = valueOf(await chatPrompt(model, render, MESSAGES));
    expect(prompt).toEqual([
      ...[begins, 'system\nBe brief.', ends, '\n'],
      ...[begins, `user\n${MESSAGES[1]?.content}`, ends, '\n'],
      ...[begins, 'assistant\n'],
    ]);
    const tame = MESSAGES.map(({ role, content }) => ({ role, content: content.replaceAll('<|', '< |') }));
    const parts = partsOf(valueOf(await chatPrompt(model, render, tame)));
    const ids = await Promise.all(parts.map((part) => idsOfPart(part)));
    const whole = tame.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`).join('');
    expect(ids.flat()).toEqual(await idsOf(`${whole}<|im_start|>assistant\n`, true));
  });

  it('is none with the embedded one, which was taught to complete code', async () => {
    expect(await chatPrompt(engine, render, MESSAGES)).toEqual({ ok: true, value: undefined });
  });
});
