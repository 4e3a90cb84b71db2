/** Why a file does not run, and what to choose instead: something that runs, and never what would be refused as well. */
import { metadataText, type NativeInspection } from '../core/engine/native_inspection';

/** Models of families that run, the most useful for completion first, by what `general.architecture` calls them. */
const FAMILIES = [
  { architecture: 'qwen2', models: 'Qwen2.5-Coder' },
  { architecture: 'qwen3', models: 'Qwen3' },
  { architecture: 'starcoder2', models: 'StarCoder 2' },
  { architecture: 'granite', models: 'Granite 3' },
] as const;
const MOST_NAMED = 3;
/** Where nothing of the same family is known to run: what a file computes, and how it splits text. */
const OF_THE_FAMILY = ['MODEL_ARCHITECTURE_UNSUPPORTED', 'MODEL_TOKENIZER_UNSUPPORTED'];

/** One sentence; empty for a file that runs. */
export function whyNot(inspection: NativeInspection): string {
  const { unsupported, unsupportedCode } = inspection;
  if (!OF_THE_FAMILY.includes(unsupportedCode)) return unsupported;
  const name = metadataText(inspection, 'general.architecture');
  const others = FAMILIES.filter(({ architecture }) => architecture !== name).slice(0, MOST_NAMED);
  const named = others.map(({ models }) => models);
  const choice = `choose a GGUF file of ${named.slice(0, -1).join(', ')} or ${named.at(-1) ?? ''}, quantised as Q4_K_M or Q8_0.`;
  const end = unsupported.lastIndexOf('; choose ');
  return `${end < 0 ? unsupported.replace(/\.$/, '') : unsupported.slice(0, end)}; ${choice}`;
}
