/** Commands that have the model write a text or an edit, and those of what it wrote. */
import * as vscode from 'vscode';
import { UNTOLD_EDITS } from '../../core/edit/edit_endings';
import { UNTOLD } from '../../core/generate/endings';
import type { EmberlineContext } from '../context';
import { editText } from '../edit/edit_text';
import {
  type EditKind,
  editSelectionKind,
  generateLinesKind,
  type StructuredEdit,
} from '../edit/structured_editor';
import type { Generation } from '../generate/generator';
import { hideSuggestion } from './suggesting';
import { tell } from './telling';

/** Lets the model go on at the cursor. Returns how that ended, for whoever runs the command from code. */
export async function generate(context: EmberlineContext): Promise<Generation> {
  // The suggestion at the cursor and the text would stand in each other's way.
  await hideSuggestion();
  return told(context, await context.generator.generate(vscode.window.activeTextEditor));
}

/** Has the model write lines at the cursor that an instruction asks for; the user sees them before they are there. */
export function generateLines(context: EmberlineContext, instruction?: unknown): Promise<StructuredEdit> {
  return editWith(context, generateLinesKind(), instruction);
}

/** Has the model edit the selected lines as an instruction says; the user sees the edit before it is made. */
export function editSelection(context: EmberlineContext, instruction?: unknown): Promise<StructuredEdit> {
  return editWith(context, editSelectionKind(), instruction);
}

export function applyEdit(context: EmberlineContext): void {
  context.editor.choose('apply');
}

export function discardEdit(context: EmberlineContext): void {
  context.editor.choose('discard');
}

/** Shows the next of the edits, or of the texts at the cursor, that were made, and behind the last one has the model make another. */
export async function nextCandidate(context: EmberlineContext): Promise<void> {
  if (context.editor.previewing) context.editor.choose('next');
  else told(context, await context.generator.choose('next'));
}

export async function previousCandidate(context: EmberlineContext): Promise<void> {
  if (context.editor.previewing) context.editor.choose('previous');
  // At the first one there is nothing to say.
  else await context.generator.choose('previous');
}

/** @param instruction What is to be otherwise; asked for where it is no text. */
export async function editAgain(context: EmberlineContext, instruction?: unknown): Promise<void> {
  const given = typeof instruction === 'string' ? instruction : undefined;
  if (context.editor.previewing) context.editor.again(given);
  else told(context, await context.generator.again(given));
}

export function stopGenerating(context: EmberlineContext): void {
  context.generator.stop();
  context.editor.stop();
}

function told(context: EmberlineContext, generation: Generation): Generation {
  const { ending, text } = generation;
  // A save may have edited the place before the first word, with a last line break, and nobody saw it.
  const isTold = !UNTOLD.has(ending) || (ending === 'edited' && text === '');
  if (isTold && !isReported(context, generation)) tell(context, vscode.l10n.t(generation.sentence));
  return generation;
}

/** Whether it is what broke the engine, which is reported where the engine is. */
function isReported({ engine }: EmberlineContext, { sentence }: Generation | StructuredEdit): boolean {
  return engine.state === 'failed' && sentence === engine.error?.message;
}

/** @param instruction Asked for where it is no text; others give it in code. */
async function editWith(
  context: EmberlineContext,
  kind: EditKind,
  instruction: unknown,
): Promise<StructuredEdit> {
  await hideSuggestion();
  const given = typeof instruction === 'string' ? instruction : undefined;
  const edit = await context.editor.edit(vscode.window.activeTextEditor, kind, given);
  if (!UNTOLD_EDITS.has(edit.ending) && !isReported(context, edit)) tell(context, editText(edit));
  return edit;
}
