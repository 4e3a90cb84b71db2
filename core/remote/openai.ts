/** OpenAI's `/v1/completions`, as vLLM, SGLang, TGI, Ollama, LM Studio and others serve it. Each leaves out something of it. */
import { type EngineRequest, GREEDY } from '../engine/engine_request';
import type { NativeStop } from '../engine/native_types';
import { countOf, listOf, numberOf, objectOf, textOf } from '../http/json_values';
import { type Rated, ratedOf, type RemotePiece, tokenOf } from './pieces';
import type { Post } from './protocol';

/** OpenAI takes no more stop texts. */
const MOST_STOPS = 4;
/** The most alternatives that it gives. */
const ALTERNATIVES = 5;

/** What of a request a server takes: some refuse what they do not know (status 400 or 422). */
export interface Extras {
  /** Probabilities, counts and a seed. */
  readonly more: boolean;
}

/** @param suffix For servers that lay out what follows the cursor themselves; they do so only where there is something. */
export function openaiPost(
  prompt: string,
  suffix: string | undefined,
  model: string,
  request: EngineRequest,
  stops: readonly string[],
  { more }: Extras,
): Post {
  const { maxTokens, sampling } = request;
  const { temperature, topP, seed } = { ...GREEDY, ...sampling };
  const stop = stops.slice(0, MOST_STOPS);
  return {
    path: '/v1/completions',
    body: {
      model,
      prompt,
      ...(suffix === undefined ? {} : { suffix: suffix === '' ? '\n' : suffix }),
      max_tokens: maxTokens,
      temperature,
      top_p: topP,
      ...(stop.length > 0 && { stop }),
      stream: true,
      ...(more && { seed: seed % 2 ** 31, logprobs: ALTERNATIVES, stream_options: { include_usage: true } }),
    },
  };
}

/** One event of the stream, or the whole answer of a server that streams nothing. */
export function openaiPiece(event: unknown): RemotePiece {
  const said = objectOf(event);
  const choice = objectOf(listOf(said['choices'])[0]);
  const stop = stopOf(choice);
  const usage = objectOf(said['usage']);
  const promptTokens = countOf(usage['prompt_tokens']);
  const cached = countOf(objectOf(usage['prompt_tokens_details'])['cached_tokens']);
  const counts = {
    promptTokens,
    reusedTokens: Math.min(promptTokens, cached),
    generatedTokens: countOf(usage['completion_tokens']),
  };
  return {
    text: textOf(choice['text']),
    tokens: ratedIn(objectOf(choice['logprobs'])).map(tokenOf),
    ...(stop === undefined ? {} : { stop }),
    ...(promptTokens > 0 && { counts }),
  };
}

/**
 * `stop` is said of a model that ended its text and of one that came to a stop text alike. vLLM's `stop_reason` and SGLang's `matched_stop` tell them apart: a
 * text, or for an end token nothing or its id. Where neither is there it is taken for the line's end.
 */
function stopOf(choice: Readonly<Record<string, unknown>>): NativeStop | undefined {
  switch (choice['finish_reason']) {
    case 'length':
      return 'max_tokens';
    case 'eos_token':
      return 'end_token';
    case undefined:
    case null:
    case '':
      return undefined;
    default: {
      const known = 'stop_reason' in choice || 'matched_stop' in choice;
      const matched = choice['stop_reason'] ?? choice['matched_stop'];
      if (!known) return 'line_end';
      return typeof matched === 'string' && matched.startsWith('\n') ? 'line_end' : 'end_token';
    }
  }
}

/** Either OpenAI's lists side by side, or llama.cpp's and newer servers' list of tokens (`content`). */
function ratedIn(logprobs: Readonly<Record<string, unknown>>): readonly Rated[] {
  const content = logprobs['content'];
  if (content !== undefined) return listOf(content).map(objectOf).map(ratedOf);
  const probabilities = listOf(logprobs['token_logprobs']);
  const alternatives = listOf(logprobs['top_logprobs']);
  return listOf(logprobs['tokens']).map((text, index) => {
    const logprob = probabilities[index];
    const others = Object.entries(objectOf(alternatives[index])).map(([other, value]) => ({
      text: other,
      logprob: numberOf(value),
    }));
    return {
      text: textOf(text),
      logprob: typeof logprob === 'number' ? logprob : Number.NEGATIVE_INFINITY,
      others,
    };
  });
}
