/** What reading a prompt costs, by the matrices that a token goes through. */
import type { NativeInspection } from '../engine/native_inspection';

/**
 * Multiply-adds of a token of a prompt: of matrices each element once, of experts those that a token is routed to. The output matrix, and an
 * embedding that is none, are left out: only the last token needs its logits.
 */
export function multiplyAddsAToken({
  metadata,
  tensors,
}: Pick<NativeInspection, 'metadata' | 'tensors'>): number {
  const count = numberOf(metadata, 'expert_count');
  const used = numberOf(metadata, 'expert_used_count');
  const part = count > 0 && used > 0 ? Math.min(1, used / count) : 1;
  return tensors
    .filter(({ name, shape }) => name.startsWith('blk.') && shape.length > 1)
    .map(({ name, shape }) => (name.endsWith('_exps.weight') ? part : 1) * shape.reduce((a, b) => a * b, 1))
    .reduce((sum, elements) => sum + elements, 0);
}

/** Of the model's architecture; 0 where the file does not say. */
function numberOf(metadata: NativeInspection['metadata'], name: string): number {
  const value = Number(metadata.find(({ key }) => key.endsWith(`.${name}`))?.value ?? 0);
  return Number.isFinite(value) ? value : 0;
}
