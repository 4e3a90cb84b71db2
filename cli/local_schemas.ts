/** The schemas of JSON files in a terminal: those that files name, and those that come with Emberline. */
import { fileURLToPath } from 'node:url';
import { readFile, stat } from 'node:fs/promises';
import type { Engine } from '../core/engine/engine';
import { DocumentSchemas } from '../core/schema/document_schemas';

/** Larger files are not read, bytes. */
const MOST_BYTES = 4_000_000;

export function localSchemas(engine: Engine): DocumentSchemas {
  return new DocumentSchemas({
    enabled: () => true,
    associations: () => [],
    read: readFileUri,
    compile: (source) => engine.compileGrammar(source),
  });
}

/** The text of a file; undefined where it cannot be read. */
export async function readFileUri(uri: string): Promise<string | undefined> {
  try {
    const path = fileURLToPath(uri);
    return (await stat(path)).size > MOST_BYTES
      ? undefined
      : (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  } catch {
    return undefined;
  }
}
