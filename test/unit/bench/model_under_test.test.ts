import { describe, expect, it } from 'vitest';
import { costShapeOf } from '../../../bench/model_under_test';

const entry = (key: string, value: string): { key: string; type: string; value: string } => ({
  key,
  type: 'uint32',
  value,
});
/** As the addon shows them: a text in quotes. */
const METADATA = [
  entry('general.architecture', '"gemma3"'),
  entry('gemma3.block_count', '18'),
  entry('gemma3.embedding_length', '640'),
  entry('gemma3.feed_forward_length', '2048'),
  entry('gemma3.attention.head_count', '4'),
];
const TENSORS = [{ name: 'token_embd.weight', type: 'Q8_0', shape: [640, 262_144], bytes: 1 }];

describe('the shape of a model file', () => {
  it('is what its metadata say', () => {
    const metadata = [
      ...METADATA,
      entry('gemma3.attention.head_count_kv', '1'),
      entry('gemma3.attention.key_length', '256'),
    ];
    expect(costShapeOf({ metadata, tensors: TENSORS })).toEqual({
      ...{ layers: 18, width: 640, hidden: 2_048, heads: 4, kvHeads: 1, headSize: 256 },
      vocabulary: 262_144,
    });
  });

  it('has defaults, but for what every model says', () => {
    expect(costShapeOf({ metadata: METADATA, tensors: TENSORS })).toMatchObject({
      kvHeads: 4,
      headSize: 160,
    });
    expect(() => costShapeOf({ metadata: METADATA.slice(0, 2), tensors: TENSORS })).toThrow(
      /embedding_length/,
    );
  });
});
