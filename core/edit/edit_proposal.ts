/**
 * From an instruction and lines of a document to replacements that can be shown, or a reason why there are none. Works without an
 * editor; nothing is changed here.
 */
import type { Replacement } from '../completion/document';
import type { GenerationEngine } from '../completion/engine_port';
import { chatPrompt, type ChatModel } from '../chat/chat_prompt';
import type { RenderTemplate } from '../chat/limited_rendering';
import { type EngineRequest, GREEDY } from '../engine/engine_request';
import { REASON_OF_STATE, REASONS } from '../completion/reasons';
import type { RequestFork } from '../completion/candidate_search';
import { withLead } from '../completion/fork_order';
import type { CompileGrammar } from '../engine/native_grammar';
import type { NativeCompletion } from '../engine/native_types';
import type { NativeError } from '../engine/native_result';
import { EDIT_ENDINGS, type EditEnding } from './edit_endings';
import { type EditPlan, editPlan } from './edit_plan';
import { editMessages, type EditTurn, plainPrompt } from './edit_prompt';
import { applied, replacementsOf } from './line_edit';
import { broken, type Problem } from './soundness';
import { linesOf } from './text_lines';

/** What an engine has to offer. */
export interface EditEngine extends ChatModel, Pick<GenerationEngine, 'state' | 'generating' | 'generate'> {
  readonly compileGrammar: CompileGrammar;
}

export interface EditParts {
  readonly engine: EditEngine;
  readonly render: RenderTemplate;
}

export interface EditRequest {
  readonly instruction: string;
  /** What was asked for before, and said: the instruction is then what was to be otherwise. */
  readonly earlier?: readonly EditTurn[];
  /** The whole document. */
  readonly text: string;
  readonly languageId: string;
  /** The lines to edit, or the last ones before those that are added; counted from 1, both included. */
  readonly first: number;
  readonly last: number;
  /** Whether lines are added instead. */
  readonly adds: boolean;
  /** One level of indentation. */
  readonly unit: string;
}

export interface EditProposal {
  readonly ending: EditEnding;
  /** One, for whoever asked. */
  readonly sentence: string;
  /** What it would break; with the ending `unsound` alone. */
  readonly problem?: Problem | undefined;
  /** Of the document's text; filled with the ending `proposed` alone. */
  readonly replacements: readonly Replacement[];
  /** What the model said, in the form of edit_format.ts; with the ending `proposed` alone. */
  readonly answer?: string;
  readonly completion?: NativeCompletion;
  readonly error?: NativeError;
}

/** What is asked of the model, for one answer or several: closed when no more are wanted. */
export interface EditQuestion {
  readonly call: EngineRequest;
  readonly plan: EditPlan;
  close(): void;
}

/** Never rejects: where there is nothing to ask, that is the proposal. */
export async function editQuestion(
  { engine, render }: EditParts,
  request: EditRequest,
): Promise<EditQuestion | EditProposal> {
  const unable = unableNow(engine);
  if (unable !== undefined) return unable;
  const lines = linesOf(request.text)
    .slice(request.first - 1, request.last)
    .map(({ text }) => text);
  const { earlier = [], instruction } = request;
  const instructions = [...earlier.map((turn) => turn.instruction), instruction];
  const plan = editPlan(instructions, { ...request, lines });
  if (typeof plan === 'string') return ended(plan);
  const grammar = await engine.compileGrammar({ gbnf: plan.grammar });
  if (!grammar.ok) return failed(grammar.error);
  const messages = editMessages({ ...request, lines });
  const chat = await chatPrompt(engine, render, messages);
  if (!chat.ok) {
    grammar.value.close();
    return failed(chat.error);
  }
  const call: EngineRequest = {
    prompt: chat.value ?? plainPrompt(messages),
    maxTokens: plan.maxTokens,
    // The same instruction on the same lines gives the same edit.
    sampling: GREEDY,
    drafting: { lookup: true, model: true },
    grammar: { grammar: grammar.value, prefix: '' },
  };
  return { call, plan, close: () => grammar.value.close() };
}

/**
 * Never rejects.
 * @param onProgress Receives the answer's pieces as they are made.
 * @param fork Of an earlier answer, what this one begins with and how it does not go on.
 */
export async function editAnswer(
  { engine }: EditParts,
  request: EditRequest,
  { call, plan }: EditQuestion,
  signal: AbortSignal,
  onProgress: (piece: string) => void = () => undefined,
  fork?: RequestFork,
): Promise<EditProposal> {
  const unable = unableNow(engine);
  if (unable !== undefined) return unable;
  const forked = fork === undefined ? call : { ...call, lead: fork.lead.ids, barred: fork.barred };
  const answer = await engine.generate(forked, signal, onProgress);
  if (!answer.ok) return answer.error.code === 'CONTEXT_OVERFLOW' ? ended('too_long') : failed(answer.error);
  const completion = fork === undefined ? answer.value : withLead(answer.value, fork.lead);
  return { ...judged(completion, plan, request), completion };
}

/** Why an engine cannot be asked at the moment. */
export function unableNow({ state, generating }: EditEngine): EditProposal | undefined {
  if (state !== 'ready') return { ...ended('not_ready'), sentence: REASONS[REASON_OF_STATE[state]] };
  return generating === true ? ended('already_running') : undefined;
}

function judged(completion: NativeCompletion, plan: EditPlan, request: EditRequest): EditProposal {
  const { stop, grammarEnded } = completion;
  if (stop === 'cancelled') return ended('cancelled');
  const whole = grammarEnded && (stop === 'end_token' || stop === 'grammar');
  // Half an edit is none. Of lines that are added, those that are whole may be of use.
  const answer = whole
    ? completion.text.replace(/\n+$/, '')
    : request.adds
      ? withoutLastLine(completion.text)
      : '';
  if (answer === '') return ended('cut');
  const edits = plan.parse(answer)?.map((edit) => ({
    ...edit,
    first: edit.first + request.first - 1,
    last: edit.last + request.first - 1,
  }));
  if (edits === undefined) return ended('cut');
  const replacements = replacementsOf(request.text, edits);
  if (replacements.length === 0) return ended('unchanged');
  const problem = broken(request.text, applied(request.text, replacements), request.languageId);
  if (problem !== undefined) return { ...ended('unsound'), problem };
  return { ...ended('proposed'), replacements, answer };
}

function withoutLastLine(text: string): string {
  return text.slice(0, Math.max(0, text.lastIndexOf('\n')));
}

export function ended(ending: EditEnding): EditProposal {
  return { ending, sentence: EDIT_ENDINGS[ending], replacements: [] };
}

function failed(error: NativeError): EditProposal {
  return { ...ended('failed'), sentence: error.message, error };
}
