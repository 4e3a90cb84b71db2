/** What is at an endpoint: found out before anything of a document is sent. */
import type { NativeError, NativeResult } from '../engine/native_result';
import type { NativeFim } from '../engine/native_types';
import { type RemoteClient, statusOf } from './client';
import { brokenAnswer, remoteError } from './errors';
import { FAMILIES, type Family, family, familyOf, type FamilyName, fimOf, fimOfServer } from './families';
import { listOf, numberOf, objectOf, textOf } from '../http/json_values';
import type { Protocol, ProtocolChoice } from './protocol';

/** Who lays out what stands around the cursor: nobody, the server, or we as a family is taught; `auto`: what fits. */
export const FIM_CHOICES = ['auto', 'none', 'server', ...FAMILIES] as const;
export type FimChoice = (typeof FIM_CHOICES)[number];

export interface ServerChoices {
  readonly protocol: ProtocolChoice;
  /** Empty: the first that the server has. */
  readonly model: string;
  readonly fim: FimChoice;
}

export interface RemoteServer {
  readonly protocol: Protocol;
  readonly model: string;
  /** All that it lists. */
  readonly models: readonly string[];
  /** What a prompt writer has to know; undefined: the model is asked without what follows the cursor. */
  readonly fim: NativeFim | undefined;
  /** Whose marks stand in a prompt; undefined: none do. */
  readonly family: Family | undefined;
  /** Whether it is sent the parts, and lays them out itself. */
  readonly laysOut: boolean;
  /** Most tokens of prompt and completion together, where it says so. */
  readonly context: number | undefined;
}

/** Of a server's models, in a sentence. */
const MOST_NAMED = 3;

interface Listed {
  readonly models: readonly string[];
  /** Whether the chosen one is among them, or another name of one is. */
  readonly known: boolean;
  /** Of the chosen one: whose software has it, and how long a context. */
  readonly owner: string;
  readonly context: number | undefined;
}

/** Never rejects. Nothing of a document is sent. */
export async function lookAt(
  client: RemoteClient,
  choices: ServerChoices,
  signal: AbortSignal,
): Promise<NativeResult<RemoteServer>> {
  const listed = await list(client, choices.model, signal);
  if (!listed.ok) return listed;
  const { models, owner, context, known } = listed.value;
  const props =
    choices.protocol === 'openai' || (choices.protocol === 'auto' && owner !== '' && owner !== 'llamacpp')
      ? undefined
      : await propsOf(client, signal);
  // Some give their list to anybody.
  const refused =
    props?.ok === false && (statusOf(props.error) === undefined || props.error.code === 'REMOTE_KEY');
  if (refused) return props;
  const protocol =
    choices.protocol === 'auto' ? (props?.ok === true ? 'llama-server' : 'openai') : choices.protocol;
  // It answers whatever model is named, with the one that it has.
  if (owner === 'llamacpp' && choices.model !== '' && !known)
    return {
      ok: false,
      error: remoteError(
        'REMOTE_MODEL',
        `${client.host} has no model ${choices.model}, but ${models.slice(0, MOST_NAMED).join(', ')}; check emberline.remote.model.`,
      ),
    };
  const model = choices.model === '' ? (models[0] ?? '') : choices.model;
  if (model === '' && protocol === 'openai')
    return {
      ok: false,
      error: remoteError(
        'REMOTE_MODEL',
        `${client.host} lists no model; name one in emberline.remote.model.`,
      ),
    };
  const server = {
    protocol,
    model,
    models,
    context: props?.ok === true ? (props.value ?? context) : context,
  };
  const fim = choices.fim === 'auto' ? await fitting(client, server, owner, signal) : choices.fim;
  return { ok: true, value: { ...server, ...laidOut(fim, protocol) } };
}

/** How much is known of an endpoint that lists nothing: a server of llama.cpp from before it did. */
async function list(client: RemoteClient, model: string, signal: AbortSignal): Promise<NativeResult<Listed>> {
  const answer = await client.getJson('/v1/models', signal);
  if (!answer.ok) {
    const status = statusOf(answer.error);
    const without = status === 404 || status === 405 || status === 501;
    return without
      ? { ok: true, value: { models: [], known: false, owner: '', context: undefined } }
      : answer;
  }
  const data = listOf(objectOf(answer.value)['data']).map(objectOf);
  const models = data.map((one) => textOf(one['id'])).filter((id) => id !== '');
  if (models.length === 0 && !Array.isArray(objectOf(answer.value)['data']))
    return { ok: false, error: brokenAnswer(client.host, '/v1/models has no list of models') };
  const named = data.find((one) => one['id'] === model || listOf(one['aliases']).includes(model));
  const chosen = named ?? data[0] ?? {};
  const context = numberOf(chosen['max_model_len']);
  return {
    ok: true,
    value: {
      models,
      known: named !== undefined,
      owner: textOf(chosen['owned_by']),
      context: context > 0 ? context : undefined,
    },
  };
}

/** The context of llama.cpp's server; an error where it is another's. */
async function propsOf(client: RemoteClient, signal: AbortSignal): Promise<NativeResult<number | undefined>> {
  const answer = await client.getJson('/props', signal);
  if (!answer.ok) return answer;
  const settings = objectOf(objectOf(answer.value)['default_generation_settings']);
  if (Object.keys(settings).length === 0)
    return {
      ok: false,
      error: { ...brokenAnswer(client.host, '/props says nothing of a model'), status: 200 } as NativeError,
    };
  const context = numberOf(settings['n_ctx']);
  return { ok: true, value: context > 0 ? context : undefined };
}

/** Ollama applies its own templates to a prompt; llama.cpp's server knows the marks of its model, if it has any. Others take the text as it is. */
async function fitting(
  client: RemoteClient,
  { protocol, model }: Pick<RemoteServer, 'protocol' | 'model'>,
  owner: string,
  signal: AbortSignal,
): Promise<Exclude<FimChoice, 'auto'>> {
  const known = familyOf(model);
  if (protocol === 'openai') return owner === 'library' && known !== undefined ? 'server' : (known ?? 'none');
  const empty = {
    input_prefix: '',
    input_suffix: '',
    input_extra: [],
    prompt: '',
    n_predict: 1,
    stream: false,
  };
  // Its /infill writes one layout alone, whatever its model was taught.
  if (known !== undefined && family(known).layout !== 'prefix_suffix_middle') return known;
  const tried = await client.post({ path: '/infill', body: empty }, signal, () => true);
  return tried.ok ? 'server' : (known ?? 'none');
}

function laidOut(
  fim: 'none' | 'server' | FamilyName,
  protocol: Protocol,
): Pick<RemoteServer, 'fim' | 'family' | 'laysOut'> {
  if (fim === 'none') return { fim: undefined, family: undefined, laysOut: false };
  if (fim === 'server')
    return { fim: fimOfServer(protocol === 'llama-server'), family: undefined, laysOut: true };
  return { fim: fimOf(family(fim)), family: family(fim), laysOut: false };
}
