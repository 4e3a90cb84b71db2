/** What is said of a model that runs: in the log, and where the status bar item is pointed at. */
import * as vscode from 'vscode';
import type { NativeModelInfo } from '../core/engine/native_types';

/** The lines of the log: the model, what drafts for it, and why it does without a GPU that could have been used. */
export function modelLines(info: NativeModelInfo): string[] {
  const { name, parameters, quantization, device, deviceReason, draft, packedCopy, loadMs } = info;
  const { kvCache, kvCacheReason } = info;
  const millions = Math.round(parameters / 1e6);
  const copy = packedCopy ? ', packed copy' : '';
  const ready = `model ready in ${loadMs.toFixed(0)} ms: ${name}, ${millions}M parameters, ${quantization}, ${device}${copy}`;
  const lines = [ready];
  if (draft !== '') lines.push(`drafts by ${draft}`);
  if (kvCacheReason !== '') lines.push(`keys and values are not kept as asked: ${kvCacheReason}`);
  else if (kvCache !== 'f16') lines.push(`keys and values are kept as ${kvCache}`);
  if (deviceReason !== '') lines.push(`the GPU is not used: ${deviceReason}`);
  return lines;
}

/** The same for the tooltip, line by line. */
export function modelDetail({ name, device, deviceReason, draft }: NativeModelInfo): string[] {
  return [
    vscode.l10n.t('{0} on {1}', name, device),
    ...(draft === '' ? [] : [vscode.l10n.t('Drafts by {0}', draft)]),
    ...(deviceReason === '' ? [] : [vscode.l10n.t('Without the GPU: {0}', deviceReason)]),
  ];
}
