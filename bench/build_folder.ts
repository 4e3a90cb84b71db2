/** Where the bench keeps what it makes and installs: an ignored folder, safe to delete. */
import { join } from 'node:path';
import { ROOT } from '../cli/engine_options';

const FOLDER = join(ROOT, 'build', 'bench');

export const SYNTHETIC_MODELS = join(FOLDER, 'models');
/** One of random weights for each family and mix of tensor types. */
export const FAMILY_MODELS = join(FOLDER, 'families');
export const PEER_PACKAGE = join(FOLDER, 'peer');
export const PEER_PROGRAM = join(FOLDER, 'llama_peer');
export const NATIVE_BUILD = join(FOLDER, 'native');
/** With the simulated GPU, which another compiler builds. */
export const METAL_BUILD = join(FOLDER, 'metal');
/** Of weights: what the extension keeps in the storage it is given. */
export const PACKED_COPIES = join(FOLDER, 'packed');
/** What a GPU's first start leaves for later ones; emptied before each. */
export const STARTS = join(FOLDER, 'starts');
export const LOGITS = join(FOLDER, 'logits');
/** Vocabularies and schemas with their documents. */
export const GRAMMAR_FILES = join(FOLDER, 'grammar');
export const LOGS = join(FOLDER, 'logs');
/** The sources of the bench's own programs. */
export const SOURCES = join(ROOT, 'bench');
