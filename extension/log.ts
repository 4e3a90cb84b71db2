/** The log channel: one line a request. Document text and generated text appear at trace level only. */
import * as vscode from 'vscode';
import type { CompletionOutcome } from '../core/completion/outcome';
import { summaryOf, workOf } from '../core/completion/summary';
import { PROBLEMS } from '../core/edit/soundness';
import type { StructuredEdit } from './edit/structured_editor';
import type { NativeModelInfo } from '../core/engine/native_types';
import type { NativeError } from '../core/engine/native_result';
import type { Generation } from './generate/generator';
import { modelLines } from './model_summary';

export class Log implements vscode.Disposable {
  private readonly channel = vscode.window.createOutputChannel('Emberline', { log: true });
  private readonly written = new vscode.EventEmitter<string>();

  /** Fires with each line above trace level. */
  readonly onDidWrite = this.written.event;
  private readonly failure = new vscode.EventEmitter<string>();
  /** Fires with the code of each error. */
  readonly onDidFail = this.failure.event;

  show(): void {
    this.channel.show(true);
  }

  activated(version: string, ms: number): void {
    this.info(`Emberline ${version} activated in ${ms.toFixed(1)} ms`);
  }

  loaded(info: NativeModelInfo): void {
    for (const line of modelLines(info)) this.info(line);
  }

  failed(error: NativeError): void {
    const line = `${error.code}: ${error.message}`;
    this.channel.error(line);
    this.failure.fire(error.code);
    this.written.fire(line);
  }

  /** @param sequence Numbers the requests of this session. */
  request(sequence: number, languageId: string, outcome: CompletionOutcome): void {
    this.info(`#${sequence} ${languageId} ${summaryOf(outcome)}`);
    if (outcome.error !== undefined) this.failed(outcome.error);
    if (outcome.text !== '') this.channel.trace(`#${sequence} ${JSON.stringify(outcome.text)}`);
  }

  generation({ ending, sentence, text, completion, error }: Generation): void {
    const work = completion === undefined ? '' : `; ${workOf(completion)}`;
    this.info(`generate: ${ending} (${sentence})${work}`);
    if (error !== undefined) this.failed(error);
    if (text !== '') this.channel.trace(`generate: ${JSON.stringify(text)}`);
  }

  edit({ ending, sentence, problem, proposal }: StructuredEdit): void {
    const completion = proposal?.completion;
    const work = completion === undefined ? '' : `; ${workOf(completion)}`;
    const why = problem === undefined ? sentence : `${sentence} ${PROBLEMS[problem]}`;
    this.info(`edit: ${ending} (${why})${work}`);
    if (proposal?.error !== undefined) this.failed(proposal.error);
    if (completion !== undefined) this.channel.trace(`edit: ${JSON.stringify(completion.text)}`);
  }

  note(sentence: string): void {
    this.info(sentence);
  }

  dispose(): void {
    this.channel.dispose();
    this.written.dispose();
    this.failure.dispose();
  }

  private info(line: string): void {
    this.channel.info(line);
    this.written.fire(line);
  }
}
