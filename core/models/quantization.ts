/** What a model's weights are stored as, in the words of those who publish files. */
import type { NativeInspection } from '../engine/native_inspection';

/** `general.file_type`, as llama.cpp numbers its mixes (`llama_ftype`). */
const FILE_TYPES: Readonly<Record<string, string>> = {
  0: 'F32',
  1: 'F16',
  2: 'Q4_0',
  3: 'Q4_1',
  7: 'Q8_0',
  8: 'Q5_0',
  9: 'Q5_1',
  10: 'Q2_K',
  11: 'Q3_K_S',
  12: 'Q3_K_M',
  13: 'Q3_K_L',
  14: 'Q4_K_S',
  15: 'Q4_K_M',
  16: 'Q5_K_S',
  17: 'Q5_K_M',
  18: 'Q6_K',
  21: 'Q2_K_S',
  25: 'IQ4_NL',
  30: 'IQ4_XS',
  32: 'BF16',
  38: 'MXFP4',
};

/** `Q4_K_M`: by what the file says of itself, else the type that most of its bytes are of. */
export function quantizationOf({
  metadata,
  tensors,
}: Pick<NativeInspection, 'metadata' | 'tensors'>): string {
  const number = metadata.find(({ key }) => key === 'general.file_type')?.value ?? '';
  return FILE_TYPES[number] ?? sharesOf(tensors)[0]?.type ?? 'unknown';
}

/** `Q4_1 73 %, Q8_0 27 %`: by bytes, the largest share first; what is below half a percent is left out. */
export function mixOf(tensors: NativeInspection['tensors']): string {
  return sharesOf(tensors)
    .map(({ type, share }) => ({ type, percent: Math.round(100 * share) }))
    .filter(({ percent }) => percent > 0)
    .map(({ type, percent }) => `${type} ${percent} %`)
    .join(', ');
}

function sharesOf(tensors: NativeInspection['tensors']): { readonly type: string; readonly share: number }[] {
  const bytes = new Map<string, number>();
  for (const tensor of tensors) bytes.set(tensor.type, (bytes.get(tensor.type) ?? 0) + tensor.bytes);
  const total = [...bytes.values()].reduce((sum, size) => sum + size, 0);
  return [...bytes]
    .map(([type, size]) => ({ type, share: total === 0 ? 0 : size / total }))
    .sort((one, other) => other.share - one.share);
}
