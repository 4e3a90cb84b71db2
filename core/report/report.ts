/** What whoever helps with a problem has to know, as Markdown that its sender reads first. */
import type { EngineState } from '../completion/engine_port';
import type { NativeModelInfo } from '../engine/native_types';
import { type Person, redacted } from './redaction';
import type { RecentEndings } from './recent_endings';

export interface ReportFacts {
  readonly emberline: string;
  readonly editor: { readonly name: string; readonly version: string; readonly language: string };
  /** Where the extension runs, if not beside the editor: `ssh-remote`, `wsl`. */
  readonly remote: string | undefined;
  readonly machine: {
    readonly platform: string;
    readonly architecture: string;
    readonly release: string;
    readonly node: string;
    readonly processor: string;
    readonly cores: number;
    readonly memoryBytes: number;
    /** That the engine can use here, best first; empty where the addon does not load. */
    readonly instructionSets: readonly string[];
  };
  readonly engine: EngineState;
  readonly status: string;
  readonly model: NativeModelInfo | undefined;
  /** Prompt tokens a second; undefined until measured. */
  readonly prefillSpeed: number | undefined;
  /** `name: value` */
  readonly settings: readonly string[];
  readonly recent: Pick<RecentEndings, 'endings' | 'errors'>;
  /** Whose names and folders stay out. */
  readonly person: Person;
}

const GB = 1e9;

export function reportOf(facts: ReportFacts): string {
  const { editor, machine, engine, status, settings, recent, person } = facts;
  const say = (text: string): string => redacted(text, person);
  const { platform, architecture, release, node, processor, cores, memoryBytes, instructionSets } = machine;
  const where = facts.remote === undefined ? '' : `, Emberline runs in ${say(facts.remote)}`;
  return [
    '# Emberline report',
    '',
    '## What happened',
    '',
    '',
    '',
    '## What I expected',
    '',
    '',
    '',
    '## Versions and machine',
    '',
    `- Emberline ${facts.emberline}; ${say(editor.name)} ${editor.version} (${editor.language})${where}`,
    `- ${platform} ${architecture}, ${say(release)}; Node ${node}`,
    `- ${say(processor)}, ${cores} cores, ${(memoryBytes / GB).toFixed(0)} GB of memory; ${instructionSets.length === 0 ? 'the addon does not load' : instructionSets.join(', ')}`,
    '',
    '## Engine',
    '',
    `- ${engine}; the status bar says ${status}`,
    ...modelLines(facts, say),
    '',
    '## Settings that differ from their defaults',
    '',
    ...(settings.length === 0 ? ['- none'] : settings.map((line) => settingLine(line, say))),
    '',
    '## How the last requests ended',
    '',
    ...endingLines(recent, say),
    '',
    '## Last errors',
    '',
    `- ${recent.errors.length === 0 ? 'none' : recent.errors.join(', ')}`,
    '',
  ].join('\n');
}

/** A name is known to whoever reads it: what was taken out of it would be, too. */
function settingLine(line: string, say: (text: string) => string): string {
  const end = line.indexOf(':') + 1;
  return `- ${line.slice(0, end)} ${say(line.slice(end))}`;
}

function modelLines({ model, prefillSpeed }: ReportFacts, say: (text: string) => string): string[] {
  if (model === undefined) return ['- no model is loaded'];
  const { name, architecture, parameters, quantization, layers, width, vocabulary, contextLength } = model;
  const { preTokenizer, device, deviceReason, kvCache, draft, packedCopy, loadMs } = model;
  const size = `${(parameters / 1e6).toFixed(0)}M parameters, ${layers} layers of ${width}`;
  return [
    `- ${say(name)}: ${say(architecture)}, ${size}, ${quantization}, vocabulary ${vocabulary} (${say(preTokenizer)}), context ${contextLength}`,
    `- ${say(device)}${deviceReason === '' ? '' : `; without the GPU: ${say(deviceReason)}`}`,
    `- loaded in ${loadMs.toFixed(0)} ms${packedCopy ? ' from a packed copy' : ''}; KV cache ${kvCache}${draft === '' ? '' : `; drafts by ${say(draft)}`}`,
    `- reads ${prefillSpeed === undefined ? 'at a speed not measured yet' : `${prefillSpeed.toFixed(0)} tokens/s`}`,
  ];
}

function endingLines({ endings }: ReportFacts['recent'], say: (text: string) => string): string[] {
  if (endings.length === 0) return ['- none yet'];
  return endings.map(({ languageId, reason, stop, source, schema, times }) => {
    const followed = schema === undefined ? '' : `, schema ${schema}`;
    return `- ${say(languageId)}: ${reason} (${stop}, ${source}${followed})${times === 1 ? '' : ` × ${times}`}`;
  });
}

/** The page for a new issue of the repository that package.json names; undefined where it names none that is known to have one. */
export function newIssuePage(manifest: {
  readonly bugs?: unknown;
  readonly repository?: unknown;
}): string | undefined {
  const addresses = [addressOf(manifest.bugs), addressOf(manifest.repository)];
  for (const address of addresses) {
    const found = /^(?:git\+)?(https:\/\/github\.com\/[\w.-]+\/[\w.-]+?)(?:\.git)?(?:\/issues)?\/?$/.exec(
      address,
    );
    if (found?.[1] !== undefined) return `${found[1]}/issues/new`;
  }
  return undefined;
}

function addressOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const url = typeof value === 'object' && value !== null && 'url' in value ? value.url : '';
  return typeof url === 'string' ? url : '';
}
