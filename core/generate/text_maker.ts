/** Has an engine go on at a cursor: the lines that follow, or, where something stands right of it, the rest of the line. */
import type { Asking, Question, Reply } from '../completion/asking';
import type { RequestFork } from '../completion/candidate_search';
import { type DocumentSnapshot, lineAfter } from '../completion/document';
import type { GenerationEngine } from '../completion/engine_port';
import { readsLine } from '../completion/fim_layout';
import { withLead } from '../completion/fork_order';
import { postprocess } from '../completion/postprocess';
import type { RequestOptions } from '../completion/prompt_writer';
import type { OtherText } from '../completion/references';
import type { EngineAnswer, EngineRequest } from '../engine/engine_request';
import { GeneratedText } from './generated_text';

export interface TextOptions {
  readonly signal: AbortSignal;
  /** Receives the text piece by piece as it is to be inserted; of the rest of a line, all at once. */
  readonly onText?: (piece: string) => void;
  /** Of an earlier text for the same place, what this one begins with and how it does not go on. */
  readonly fork?: RequestFork | undefined;
  /** The engine on this machine is asked, whose tokens are known. Default: where there is a fork. */
  readonly namesTokens?: boolean;
  /** What the model reads in the document's place. Default: the document. */
  readonly reads?: DocumentSnapshot;
}

export interface MadeText {
  readonly answer: EngineAnswer;
  /** What is to stand at the cursor. */
  readonly text: string;
  /** What gives way to it, right of the cursor. */
  readonly replaced: string;
  /** Whether it is all that was wanted. */
  readonly whole: boolean;
  /** Whether it was computed elsewhere. */
  readonly remote: boolean;
}

export interface TextMakerParts {
  readonly asking: Asking<GenerationEngine>;
  readonly options: () => RequestOptions;
  /** Texts of files other than that of the given URI, nearest first. */
  readonly beside: (uri: string) => readonly OtherText[];
}

export class TextMaker {
  private readonly parts: TextMakerParts;

  constructor(parts: TextMakerParts) {
    this.parts = parts;
  }

  /** Never rejects. */
  make(document: DocumentSnapshot, options: TextOptions): Promise<MadeText> {
    return lineAfter(document).trim() === '' ? this.lines(document, options) : this.line(document, options);
  }

  /** Lines that grow while they are made, until they are over. */
  private async lines(document: DocumentSnapshot, options: TextOptions): Promise<MadeText> {
    const generated = new GeneratedText(document);
    const over = new AbortController();
    let text = '';
    const tell = (piece: string): void => {
      text += piece;
      if (piece !== '') options.onText?.(piece);
    };
    const { answer, remote } = await this.ask(document, options, {
      signal: AbortSignal.any([options.signal, over.signal]),
      send: (engine, request, signal, told) => engine.generate(withFork(request, options.fork), signal, told),
      onText: (piece) => {
        tell(generated.add(piece));
        if (generated.over) over.abort();
      },
    });
    const ended = generated.over || (answer.ok && answer.value.stop !== 'cancelled');
    if (ended && answer.ok) tell(generated.end());
    return { answer, text, replaced: '', whole: ended && answer.ok, remote };
  }

  /** As a suggestion would be fitted to what stands right of the cursor. */
  private async line(document: DocumentSnapshot, options: TextOptions): Promise<MadeText> {
    const { answer, engine, remote } = await this.ask(document, options, {
      signal: options.signal,
      send: (asked, request, signal) => asked.complete(withFork(request, options.fork), signal),
    });
    if (!answer.ok || answer.value.stop === 'cancelled')
      return { answer, text: '', replaced: '', whole: false, remote };
    const fitted = postprocess(answer.value.text, answer.value.stop, document, readsLine(engine.fim));
    const text = fitted.reason === undefined ? fitted.text : '';
    if (text !== '') options.onText?.(text);
    return { answer, text, replaced: document.after.slice(0, fitted.replace), whole: true, remote };
  }

  private async ask(
    document: DocumentSnapshot,
    { fork, namesTokens = fork !== undefined, reads = document }: TextOptions,
    question: Omit<Question<GenerationEngine>, 'place' | 'namesTokens'>,
  ): Promise<Pick<Reply, 'answer' | 'engine' | 'remote'>> {
    const place = { document: reads, options: this.parts.options(), beside: this.parts.beside(document.uri) };
    const { answer, engine, remote } = await this.parts.asking.ask({ ...question, place, namesTokens });
    if (!answer.ok || fork === undefined) return { answer, engine, remote };
    return { answer: { ok: true, value: withLead(answer.value, fork.lead) }, engine, remote };
  }
}

/** The likeliest text behind the lead. */
function withFork(request: EngineRequest, fork: RequestFork | undefined): EngineRequest {
  if (fork === undefined) return request;
  const sampling = { ...request.sampling, temperature: 0 };
  return { ...request, lead: fork.lead.ids, barred: fork.barred, sampling };
}
