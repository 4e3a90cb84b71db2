/** llama.cpp's own server: `/completion` takes a text, `/infill` the parts around a cursor (tools/server/README.md of llama.cpp). */
import { type EngineRequest, GREEDY } from '../engine/engine_request';
import type { NativeStop } from '../engine/native_types';
import { countOf, listOf, numberOf, objectOf, textOf } from '../http/json_values';
import { type Rated, ratedOf, type RemotePiece, tokenOf } from './pieces';
import type { InfillParts } from './prompt_text';
import type { Post } from './protocol';

/** Beside the token that came, so many others: enough to see whether the line could have ended. */
const PROBABILITIES = 5;

export interface Asked {
  readonly request: EngineRequest;
  /** What ends the text. */
  readonly stop: readonly string[];
  /** What the answer has to begin with; empty: nothing. */
  readonly required: string;
}

export function infillPost({ prefix, suffix, files }: InfillParts, asked: Asked): Post {
  const parts = { input_prefix: prefix, input_suffix: suffix, input_extra: files, prompt: '' };
  return { path: '/infill', body: { ...parts, ...optionsOf(asked) } };
}

export function completionPost(prompt: string, asked: Asked): Post {
  return { path: '/completion', body: { prompt, ...optionsOf(asked) } };
}

/**
 * A grammar in llama.cpp's GBNF of texts that begin so, and go on as they like: of tokens that cut a word in two, the server takes those that
 * spell it, as the local engine does under its mask.
 */
export function grammarOf(required: string): string {
  const escaped = required.replace(
    /["\\\p{Cc}]/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return `root ::= "${escaped}" [^\\x00]*`;
}

function optionsOf({ request, stop, required }: Asked): Readonly<Record<string, unknown>> {
  const { maxTokens, sampling } = request;
  const { temperature, topK, topP, minP, repeatPenalty, penaltyWindow, seed } = { ...GREEDY, ...sampling };
  return {
    n_predict: maxTokens,
    temperature,
    top_k: topK,
    top_p: topP,
    min_p: minP,
    repeat_penalty: repeatPenalty,
    repeat_last_n: penaltyWindow,
    seed: seed % 2 ** 31,
    stop,
    stream: true,
    cache_prompt: true,
    n_probs: PROBABILITIES,
    ...(required !== '' && { grammar: grammarOf(required) }),
  };
}

/** One event of the stream, or the whole answer of a server that streams nothing. */
export function llamaPiece(event: unknown): RemotePiece {
  const said = objectOf(event);
  const rated = listOf(said['completion_probabilities']).map(ratedByAny);
  const piece = { text: textOf(said['content']), tokens: rated.map(tokenOf) };
  if (said['stop'] !== true && said['stop_type'] === undefined) return piece;
  const timings = objectOf(said['timings']);
  const promptTokens = countOf(said['tokens_evaluated']);
  const counts = {
    promptTokens,
    reusedTokens:
      timings['prompt_n'] === undefined ? 0 : Math.max(0, promptTokens - countOf(timings['prompt_n'])),
    generatedTokens: countOf(said['tokens_predicted']),
  };
  return { ...piece, stop: stopOf(said), counts };
}

/** Older servers have a flag for each. */
function stopOf(said: Readonly<Record<string, unknown>>): NativeStop {
  const type = textOf(said['stop_type']);
  if (type === 'limit' || said['stopped_limit'] === true) return 'max_tokens';
  if (type === 'word' || said['stopped_word'] === true)
    return textOf(said['stopping_word']).startsWith('\n') ? 'line_end' : 'end_token';
  return 'end_token';
}

/** As ratedOf, or of older servers `{content, probs: [{tok_str, prob}]}`. */
function ratedByAny(value: unknown): Rated {
  const one = objectOf(value);
  if (one['probs'] === undefined) return ratedOf(one);
  const text = textOf(one['content']);
  const others = listOf(one['probs']).map((other) => ({
    text: textOf(objectOf(other)['tok_str']),
    logprob: Math.log(numberOf(objectOf(other)['prob'])),
  }));
  return {
    text,
    logprob: others.find((other) => other.text === text)?.logprob ?? Number.NEGATIVE_INFINITY,
    others,
  };
}
