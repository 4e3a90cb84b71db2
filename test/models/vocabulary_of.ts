import { gguf } from '@huggingface/gguf';
import type { Vocabulary } from '../../bench/synthetic/vocabulary';

/** The vocabulary of a model's file. */
export async function vocabularyOf(model: string): Promise<Vocabulary> {
  const { metadata } = await gguf(model, { allowLocalFile: true });
  const entries: Record<string, unknown> = { ...metadata };
  return {
    tokens: entries['tokenizer.ggml.tokens'] as string[],
    types: entries['tokenizer.ggml.token_type'] as number[],
    merges: entries['tokenizer.ggml.merges'] as string[],
  };
}
