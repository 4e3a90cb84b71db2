/** The words in which a model is offered. */
import type { Appraisal } from './appraisal';
import { speedText } from './expected_speed';
import { sizeText } from './size_text';

/** `qwen2 1.5B · Q8_0 · 1.65 GB`. */
export function kindText({ family, size, quantization, bytes }: Appraisal): string {
  return [`${family} ${size}`.trim(), quantization, ...(bytes === 0 ? [] : [sizeText(bytes)])]
    .filter((part) => part !== '')
    .join(' · ');
}

/** `takes 1.9 GB with 4480 tokens · about 21 tokens/s · fills in the middle`, or what stands against it. */
export function useText({ memory, context, speed, fim, obstacle }: Appraisal): string {
  if (obstacle !== '') return obstacle;
  return [
    ...(memory === undefined ? [] : [`takes ${sizeText(memory)} with ${context} tokens`]),
    ...(speed === undefined ? [] : [`about ${speedText(speed)} tokens/s`]),
    fim ? 'fills in the middle' : 'does not fill in the middle',
  ].join(' · ');
}
