/** What is said of a model that runs: in the log, and where the status bar item is pointed at. */
import type { NativeModelInfo } from '../core/engine/native_types';

type SummarisedModel = Pick<
  NativeModelInfo,
  'name' | 'parameters' | 'quantization' | 'device' | 'deviceReason' | 'packedCopy' | 'loadMs'
>;

/** The lines of the log: the model, and why it does without a GPU that could have been used. */
export function modelLines(info: SummarisedModel): string[] {
  const { name, parameters, quantization, device, deviceReason, packedCopy, loadMs } = info;
  const millions = Math.round(parameters / 1e6);
  const copy = packedCopy ? ', packed copy' : '';
  const ready = `model ready in ${loadMs.toFixed(0)} ms: ${name}, ${millions}M parameters, ${quantization}, ${device}${copy}`;
  return deviceReason === '' ? [ready] : [ready, `the GPU is not used: ${deviceReason}`];
}

/** The same for the tooltip. */
export function modelDetail({
  name,
  device,
  deviceReason,
}: Pick<SummarisedModel, 'name' | 'device' | 'deviceReason'>): string {
  return `${name} on ${device}${deviceReason === '' ? '' : `\nWithout the GPU: ${deviceReason}`}`;
}
