/** The log channel: one line a request. Document text and generated text appear at trace level only. */
import * as vscode from 'vscode';
import type { CompletionOutcome } from './completion/pipeline';
import { summaryOf } from './completion/summary';
import type { NativeError, NativeModelInfo } from './engine/native_types';

export class Log implements vscode.Disposable {
  private readonly channel = vscode.window.createOutputChannel('Emberline', { log: true });

  show(): void {
    this.channel.show(true);
  }

  activated(version: string, ms: number): void {
    this.channel.info(`Emberline ${version} activated in ${ms.toFixed(1)} ms`);
  }

  loaded(info: NativeModelInfo): void {
    const millions = Math.round(info.parameters / 1e6);
    this.channel.info(
      `model ready in ${info.loadMs.toFixed(0)} ms: ${info.name}, ${millions}M parameters, ${info.quantization}, ${info.device}${info.packedCopy ? ', packed copy' : ''}`,
    );
    if (info.deviceReason !== '') this.channel.info(`the GPU is not used: ${info.deviceReason}`);
  }

  failed(error: NativeError): void {
    this.channel.error(`${error.code}: ${error.message}`);
  }

  /** @param sequence Numbers the requests of this session. */
  request(sequence: number, languageId: string, outcome: CompletionOutcome): void {
    this.channel.info(`#${sequence} ${languageId} ${summaryOf(outcome)}`);
    if (outcome.error !== undefined) this.failed(outcome.error);
    if (outcome.text !== '') this.channel.trace(`#${sequence} ${JSON.stringify(outcome.text)}`);
  }

  note(sentence: string): void {
    this.channel.info(sentence);
  }

  dispose(): void {
    this.channel.dispose();
  }
}
