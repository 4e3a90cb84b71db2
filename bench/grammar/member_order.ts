/** Documents with their members in the order in which the schema names them: the one order that some engines accept. */
import { isMembers, resolved } from './schema_documents';

/** References and branches in each other. */
const DEPTH = 24;

/** `document`, JSON, in the schema's order; members that it does not name stand behind the others, as they were. */
export function inSchemaOrder(schema: unknown, document: string): string {
  return JSON.stringify(ordered([schema], JSON.parse(document), schema));
}

function ordered(schemas: readonly unknown[], value: unknown, root: unknown): unknown {
  const all = schemas.flatMap((schema) => partsOf(schema, root, 0));
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) =>
      ordered(
        all.flatMap((schema) => itemOf(schema, index)),
        item,
        root,
      ),
    );
  }
  if (!isMembers(value)) return value;
  const named = all.flatMap(({ properties }) => (isMembers(properties) ? [properties] : []));
  const keys = new Set([...named.flatMap((properties) => Object.keys(properties)), ...Object.keys(value)]);
  return Object.fromEntries(
    [...keys]
      .filter((key) => Object.hasOwn(value, key))
      .map((key) => {
        const own = named.flatMap((properties) => (Object.hasOwn(properties, key) ? [properties[key]] : []));
        const rest = all.map(({ additionalProperties }) => additionalProperties);
        return [key, ordered(own.length > 0 ? own : rest, value[key], root)];
      }),
  );
}

/** The schema and all that it puts together. */
function partsOf(schema: unknown, root: unknown, depth: number): Readonly<Record<string, unknown>>[] {
  if (!isMembers(schema) || depth > DEPTH) return [];
  const { $ref, allOf, anyOf, oneOf, then, else: otherwise } = schema;
  const referred = typeof $ref === 'string' ? [resolved(root, $ref)] : [];
  const branches = [allOf, anyOf, oneOf].flatMap((some) => (Array.isArray(some) ? (some as unknown[]) : []));
  const others = [...referred, ...branches, then, otherwise];
  return [schema, ...others.flatMap((other) => partsOf(other, root, depth + 1))];
}

function itemOf(
  { prefixItems, items, additionalItems }: Readonly<Record<string, unknown>>,
  index: number,
): unknown[] {
  const written = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  if (index < written.length) return [written[index]];
  return [Array.isArray(items) ? additionalItems : items];
}
