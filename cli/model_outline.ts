/** A few lines about a model: what it computes, what it is stored as, what it takes and what it can. */
import type { NativeInspection } from '../core/engine/native_inspection';
import { sizeText } from '../core/models/size_text';
import { mixOf } from '../core/models/quantization';

const CONTEXTS = [2_048, 8_192, 32_768];

export function outlineLines({ metadata, tensors, outline }: NativeInspection): string[] {
  const architecture = metadata.find(({ key }) => key === 'general.architecture')?.value ?? 'unknown';
  const what = `architecture ${architecture.replaceAll('"', '')}, ${mixOf(tensors)}`;
  if (outline === undefined) return [what];
  const { weightBytes, kvBytes, contextLength, fim } = outline;
  const contexts = [...CONTEXTS.filter((context) => context < contextLength), contextLength];
  const sizes = contexts.map((context) => `${context} tokens ${sizeText(weightBytes + context * kvBytes)}`);
  const marks = Object.entries(fim).map(([part, id]) => `${part} ${id}`);
  return [
    what,
    `memory: ${sizeText(weightBytes)} of weights; with a context of ${sizes.join(', ')}`,
    fim.prefix === undefined || fim.suffix === undefined
      ? 'fills in the middle: no'
      : `fills in the middle: ${marks.join(', ')}`,
  ];
}
