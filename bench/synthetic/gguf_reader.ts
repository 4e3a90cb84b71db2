/** Takes a GGUF file (version 3) apart, so that another can be made of its parts. For files the engine loads; checks little. */
import { readFileSync } from 'node:fs';
import {
  ALIGNMENT,
  aligned,
  type Metadata,
  type MetadataValue,
  TENSOR_TYPES,
  type TensorPlace,
  tensorBytes,
  type TensorType,
} from './gguf_layout';

export interface StoredTensor extends TensorPlace {
  /** A view of the file's bytes. */
  readonly data: Buffer;
}

export interface GgufParts {
  readonly metadata: Metadata;
  readonly tensors: readonly StoredTensor[];
}

const MAGIC = 'GGUF';
const STRING = 8;
const ARRAY = 9;
/** Bytes of a value by its type number. */
const VALUE_BYTES = [1, 1, 2, 2, 4, 4, 4, 1, undefined, undefined, 8, 8, 8] as const;

/** Throws Error for what is no such file, and for tensor types the bench does not know. */
export function readGguf(path: string): GgufParts {
  const file = readFileSync(path);
  const reader = new Reader(file);
  if (reader.take(MAGIC.length).toString('latin1') !== MAGIC) throw new Error(`${path} is not a GGUF file`);
  reader.uint32();
  const tensorCount = reader.uint64();
  const entryCount = reader.uint64();
  const metadata: Record<string, MetadataValue> = {};
  for (let entry = 0; entry < entryCount; entry++) {
    const key = reader.string();
    const valueType = reader.uint32();
    metadata[key] = { type: 'copied', valueType, value: reader.value(valueType) };
  }
  const alignment = metadata['general.alignment'];
  if (alignment?.type === 'copied' && alignment.value.readUInt32LE() !== ALIGNMENT) {
    throw new Error(`${path} has an alignment of its own`);
  }
  const places = Array.from({ length: tensorCount }, () => reader.place());
  const start = aligned(reader.position);
  const tensors = places.map(({ place, offset }) => {
    const data = file.subarray(start + offset, start + offset + tensorBytes(place));
    return { ...place, data };
  });
  return { metadata, tensors };
}

function typeOf(id: number): TensorType {
  for (const [name, { id: known }] of Object.entries(TENSOR_TYPES)) {
    if (known === id) return name as TensorType;
  }
  throw new Error(`tensors of type ${id} are not known here`);
}

class Reader {
  position = 0;
  private readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  take(count: number): Buffer {
    const part = this.bytes.subarray(this.position, this.position + count);
    this.position += count;
    return part;
  }

  uint32(): number {
    return this.take(4).readUInt32LE();
  }

  uint64(): number {
    return Number(this.take(8).readBigUInt64LE());
  }

  string(): string {
    return this.take(this.uint64()).toString();
  }

  /** The bytes of a value, whatever it is. */
  value(type: number): Buffer {
    const start = this.position;
    this.skip(type);
    return this.bytes.subarray(start, this.position);
  }

  place(): { readonly place: TensorPlace; readonly offset: number } {
    const name = this.string();
    const extents = Array.from({ length: this.uint32() }, () => this.uint64());
    const type = typeOf(this.uint32());
    return { place: { name, type, extents }, offset: this.uint64() };
  }

  private skip(type: number): void {
    if (type === STRING) {
      this.take(this.uint64());
    } else if (type === ARRAY) {
      const element = this.uint32();
      const count = this.uint64();
      for (let index = 0; index < count; index++) this.skip(element);
    } else {
      const bytes = VALUE_BYTES[type];
      if (bytes === undefined) throw new Error(`metadata of type ${type} is not known here`);
      this.take(bytes);
    }
  }
}
