/** The bytes of a GGUF file (version 3) around its tensors: header, metadata, tensor directory. */

export type MetadataValue =
  | { readonly type: 'uint32' | 'float32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'int32s'; readonly value: readonly number[] }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  /** A value as it stands in another file: its type number and what follows. */
  | { readonly type: 'copied'; readonly valueType: number; readonly value: Buffer };

export type Metadata = Readonly<Record<string, MetadataValue>>;

/** Type number, and how many bytes a block of how many elements takes. */
export const TENSOR_TYPES = {
  f32: { id: 0, elements: 1, bytes: 4 },
  q4_0: { id: 2, elements: 32, bytes: 18 },
  q4_1: { id: 3, elements: 32, bytes: 20 },
  q5_0: { id: 6, elements: 32, bytes: 22 },
  q8_0: { id: 8, elements: 32, bytes: 34 },
  q3_k: { id: 11, elements: 256, bytes: 110 },
  q4_k: { id: 12, elements: 256, bytes: 144 },
  q5_k: { id: 13, elements: 256, bytes: 176 },
  q6_k: { id: 14, elements: 256, bytes: 210 },
  iq4_nl: { id: 20, elements: 32, bytes: 18 },
  iq4_xs: { id: 23, elements: 256, bytes: 136 },
} as const;

export type TensorType = keyof typeof TENSOR_TYPES;

export interface TensorPlace {
  readonly name: string;
  readonly type: TensorType;
  /** Elements a row first, as GGUF has it. */
  readonly extents: readonly number[];
}

export const ALIGNMENT = 32;
const VERSION = 3;
const VALUE_TYPES = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const;

export function tensorBytes({ type, extents }: TensorPlace): number {
  const { elements, bytes } = TENSOR_TYPES[type];
  return (extents.reduce((product, extent) => product * extent, 1) / elements) * bytes;
}

/** `length` rounded up to where the next tensor may begin. */
export function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

/** All of the file before the first tensor's data, padded; the tensors follow, each padded with `aligned`. */
export function ggufHeader(metadata: Metadata, tensors: readonly TensorPlace[]): Buffer {
  const writer = new ByteWriter();
  const entries = Object.entries(metadata);
  writer.bytes(Buffer.from('GGUF'));
  writer.uint32(VERSION);
  writer.uint64(tensors.length);
  writer.uint64(entries.length);
  for (const [key, value] of entries) {
    writer.string(key);
    writeValue(writer, value);
  }
  let offset = 0;
  for (const tensor of tensors) {
    writer.string(tensor.name);
    writer.uint32(tensor.extents.length);
    for (const extent of tensor.extents) writer.uint64(extent);
    writer.uint32(TENSOR_TYPES[tensor.type].id);
    writer.uint64(offset);
    offset += aligned(tensorBytes(tensor));
  }
  const header = writer.result();
  return Buffer.concat([header, Buffer.alloc(aligned(header.length) - header.length)]);
}

function writeValue(writer: ByteWriter, entry: MetadataValue): void {
  switch (entry.type) {
    case 'uint32':
      writer.uint32(VALUE_TYPES.uint32);
      writer.uint32(entry.value);
      break;
    case 'float32':
      writer.uint32(VALUE_TYPES.float32);
      writer.float32(entry.value);
      break;
    case 'bool':
      writer.uint32(VALUE_TYPES.bool);
      writer.bytes(Buffer.of(entry.value ? 1 : 0));
      break;
    case 'string':
      writer.uint32(VALUE_TYPES.string);
      writer.string(entry.value);
      break;
    case 'int32s':
      writer.uint32(VALUE_TYPES.array);
      writer.uint32(VALUE_TYPES.int32);
      writer.uint64(entry.value.length);
      writer.bytes(Buffer.from(Int32Array.from(entry.value).buffer));
      break;
    case 'strings':
      writer.uint32(VALUE_TYPES.array);
      writer.uint32(VALUE_TYPES.string);
      writer.uint64(entry.value.length);
      for (const text of entry.value) writer.string(text);
      break;
    case 'copied':
      writer.uint32(entry.valueType);
      writer.bytes(entry.value);
      break;
  }
}

/** Little-endian values one after the other. */
class ByteWriter {
  private readonly parts: Buffer[] = [];

  bytes(bytes: Buffer): void {
    this.parts.push(bytes);
  }

  uint32(value: number): void {
    const part = Buffer.allocUnsafe(4);
    part.writeUInt32LE(value);
    this.parts.push(part);
  }

  uint64(value: number): void {
    const part = Buffer.allocUnsafe(8);
    part.writeBigUInt64LE(BigInt(value));
    this.parts.push(part);
  }

  float32(value: number): void {
    const part = Buffer.allocUnsafe(4);
    part.writeFloatLE(value);
    this.parts.push(part);
  }

  string(text: string): void {
    const bytes = Buffer.from(text);
    this.uint64(bytes.length);
    this.bytes(bytes);
  }

  result(): Buffer {
    return Buffer.concat(this.parts);
  }
}
