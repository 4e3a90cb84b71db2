/** Where other programs keep model files on this machine, by their own rules, and what is found there; nothing is read here. */
import { posix, win32 } from 'node:path';

/** Programs whose models are found, as the user knows them. */
export const SOURCES = {
  ollama: 'Ollama',
  lm_studio: 'LM Studio',
  llama_cpp: 'llama.cpp',
  hugging_face: 'Hugging Face',
  emberline: 'Emberline',
} as const;
export type ModelSource = keyof typeof SOURCES;

export interface ModelPlace {
  readonly source: ModelSource;
  /** Absolute; it need not be there. */
  readonly folder: string;
}

export interface FoundModel {
  /** As its program calls it. */
  readonly name: string;
  /** A GGUF file, of several shards the first, or a folder with SafeTensors. */
  readonly path: string;
  readonly source: ModelSource;
  /** About so many, from the names and sizes of files. */
  readonly bytes: number;
}

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where Ollama's own installers let it run as a service. */
const OLLAMA_SERVICES = ['/usr/share/ollama/.ollama/models', '/var/lib/ollama'];

/** All places, each once, those that a variable of the environment names before the usual ones. */
export function modelPlaces(machine: Machine): readonly ModelPlace[] {
  const found: ModelPlace[] = [
    ...ollamaFolders(machine).map((folder) => ({ source: 'ollama', folder }) as const),
    ...lmStudioFolders(machine).map((folder) => ({ source: 'lm_studio', folder }) as const),
    ...llamaCppFolders(machine).map((folder) => ({ source: 'llama_cpp', folder }) as const),
    ...huggingFaceFolders(machine).map((folder) => ({ source: 'hugging_face', folder }) as const),
  ];
  const path = pathsOf(machine);
  const seen = new Set<string>();
  return found.filter(({ folder }) => {
    if (!path.isAbsolute(folder) || seen.has(folder)) return false;
    seen.add(folder);
    return true;
  });
}

/** The file in which LM Studio notes its folder if that was moved, and the folder otherwise. */
export function lmStudioHome(machine: Machine): { readonly pointer: string; readonly folder: string } {
  const path = pathsOf(machine);
  return {
    pointer: path.join(machine.home, '.lmstudio-home-pointer'),
    folder: path.join(machine.home, '.lmstudio'),
  };
}

function ollamaFolders(machine: Machine): string[] {
  const path = pathsOf(machine);
  return [
    ...given(machine, 'OLLAMA_MODELS'),
    path.join(machine.home, '.ollama', 'models'),
    ...(machine.platform === 'linux' ? OLLAMA_SERVICES : []),
  ];
}

function lmStudioFolders(machine: Machine): string[] {
  const path = pathsOf(machine);
  return [
    path.join(lmStudioHome(machine).folder, 'models'),
    // Until version 0.3.
    path.join(machine.home, '.cache', 'lm-studio', 'models'),
  ];
}

function llamaCppFolders(machine: Machine): string[] {
  const path = pathsOf(machine);
  const { platform, home } = machine;
  const usual = {
    darwin: () => path.join(home, 'Library', 'Caches'),
    win32: () => given(machine, 'LOCALAPPDATA')[0] ?? path.join(home, 'AppData', 'Local'),
    others: () => given(machine, 'XDG_CACHE_HOME')[0] ?? path.join(home, '.cache'),
  };
  const cache = platform === 'darwin' || platform === 'win32' ? usual[platform]() : usual.others();
  return [...given(machine, 'LLAMA_CACHE'), path.join(cache, 'llama.cpp')];
}

function huggingFaceFolders(machine: Machine): string[] {
  const path = pathsOf(machine);
  return [
    ...given(machine, 'HF_HUB_CACHE'),
    ...given(machine, 'HUGGINGFACE_HUB_CACHE'),
    ...given(machine, 'HF_HOME').map((home) => path.join(home, 'hub')),
    ...given(machine, 'XDG_CACHE_HOME').map((cache) => path.join(cache, 'huggingface', 'hub')),
    path.join(machine.home, '.cache', 'huggingface', 'hub'),
  ];
}

/** The folder that a variable names, if it is set; `~` is the home there, as their programs have it. */
function given(machine: Machine, name: string): string[] {
  const value = machine.env[name]?.trim() ?? '';
  if (value === '') return [];
  const path = pathsOf(machine);
  return [/^~[/\\]/.test(value) ? path.join(machine.home, value.slice(2)) : path.normalize(value)];
}

function pathsOf({ platform }: Machine): typeof posix {
  return platform === 'win32' ? win32 : posix;
}
