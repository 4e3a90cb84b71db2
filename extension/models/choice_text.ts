/** The words in which a model is offered, in the editor's language. */
import * as vscode from 'vscode';
import type { Appraisal } from '../../core/models/appraisal';
import { speedText } from '../../core/models/expected_speed';
import { sizeText } from '../../core/models/size_text';

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
    ...(memory === undefined ? [] : [vscode.l10n.t('takes {0} with {1} tokens', sizeText(memory), context)]),
    ...(speed === undefined ? [] : [vscode.l10n.t('about {0} tokens/s', speedText(speed))]),
    fim ? vscode.l10n.t('fills in the middle') : vscode.l10n.t('does not fill in the middle'),
  ].join(' · ');
}
