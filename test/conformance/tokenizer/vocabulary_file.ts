import { writeFileSync } from 'node:fs';
import { type ScoredVocabulary, TOKEN_TYPE, type Vocabulary } from './families.js';

const GGUF_TYPE = { uint8: 0, uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const;

/** Writes a GGUF v3 file that holds a vocabulary and no tensors. */
export function writeVocabularyFile(path: string, vocabulary: Vocabulary | ScoredVocabulary): void {
  const parts: Buffer[] = [];
  const u32 = (value: number): void => {
    const part = Buffer.alloc(4);
    part.writeUInt32LE(value);
    parts.push(part);
  };
  const u64 = (value: number): void => {
    u32(value);
    u32(0);
  };
  const string = (text: string): void => {
    const bytes = Buffer.from(text, 'utf8');
    u64(bytes.length);
    parts.push(bytes);
  };
  const key = (name: string, type: number): void => {
    string(name);
    u32(type);
  };
  const strings = (name: string, values: readonly string[]): void => {
    key(name, GGUF_TYPE.array);
    u32(GGUF_TYPE.string);
    u64(values.length);
    values.forEach(string);
  };

  parts.push(Buffer.from('GGUF', 'latin1'));
  u32(3);
  u64(0); // tensors
  const scored = 'scores' in vocabulary;
  const charsmap = Buffer.from((scored ? vocabulary.charsmap : undefined) ?? '', 'base64');
  u64(5 + (scored ? 1 : 0) + (charsmap.length > 0 ? 1 : 0)); // keys
  key('tokenizer.ggml.model', GGUF_TYPE.string);
  string(scored ? (vocabulary.model ?? 'llama') : 'gpt2');
  strings('tokenizer.ggml.tokens', vocabulary.tokens);
  if (scored) {
    key('tokenizer.ggml.scores', GGUF_TYPE.array);
    u32(GGUF_TYPE.float32);
    u64(vocabulary.scores.length);
    parts.push(Buffer.from(Float32Array.from(vocabulary.scores).buffer));
    key('tokenizer.ggml.unknown_token_id', GGUF_TYPE.uint32);
    u32(vocabulary.types.indexOf(TOKEN_TYPE.unknown));
    key('tokenizer.ggml.remove_extra_whitespaces', GGUF_TYPE.bool);
    parts.push(Buffer.from([vocabulary.removesExtraSpaces === true ? 1 : 0]));
    if (charsmap.length > 0) {
      key('tokenizer.ggml.precompiled_charsmap', GGUF_TYPE.array);
      u32(GGUF_TYPE.uint8);
      u64(charsmap.length);
      parts.push(charsmap);
    }
  } else {
    key('tokenizer.ggml.pre', GGUF_TYPE.string);
    string(vocabulary.pre);
    strings('tokenizer.ggml.merges', vocabulary.merges);
  }
  key('tokenizer.ggml.token_type', GGUF_TYPE.array);
  u32(GGUF_TYPE.int32);
  u64(vocabulary.types.length);
  vocabulary.types.forEach(u32);
  writeFileSync(path, Buffer.concat(parts));
}
