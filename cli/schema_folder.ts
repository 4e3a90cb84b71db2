/** The schemas of a folder by what they call themselves: what references to addresses on the network stand for. */
import { basename, join } from 'node:path';
import { schemaAddress } from '../core/schema/schema_place';
import { schemaName } from '../core/schema/schema_text';
import { jsonFilesIn, parsedJson, readText } from './files';

/** Finds the text of the schema that calls itself by an address; undefined where there is none. */
export type SchemaFolder = (uri: string) => Promise<string | undefined>;

/** Looked into when it is first asked, with the folders in it. Where several files have one name, that which is called like the address counts. */
export function schemaFolder(folder: string): SchemaFolder {
  let index: Promise<ReadonlyMap<string, string>> | undefined;
  return async (uri) => {
    index ??= namesIn(folder);
    const path = (await index).get(schemaAddress(uri));
    return path === undefined ? undefined : readText(path);
  };
}

/** Paths of files by address. */
async function namesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const paths = new Map<string, string>();
  for (const name of await jsonFilesIn(folder)) {
    const path = join(folder, name);
    const id = schemaName(parsedJson(await readText(path)));
    if (id === undefined) continue;
    const address = schemaAddress(id);
    if (!paths.has(address) || basename(path, '.json') === basename(address)) paths.set(address, path);
  }
  return paths;
}
