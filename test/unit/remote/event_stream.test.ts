import { describe, expect, it } from 'vitest';
import { EventStream } from '../../../core/remote/event_stream';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The events of a text that comes in pieces of some bytes. */
function eventsOf(text: string, size: number): string[] {
  const stream = new EventStream();
  const all = bytes(text);
  const events: string[] = [];
  for (let at = 0; at < all.length; at += size) events.push(...stream.add(all.subarray(at, at + size)));
  return [...events, ...stream.end()];
}

const WHOLE =
  'data: {"a":"é😀"}\r\n\r\n: a comment\nevent: x\nid: 7\ndata:two\ndata: lines\n\ndata: b\r\rdata: [DONE]\n\n';

describe('an event stream', () => {
  it.each([1, 2, 3, 5, 7, 1_000])('is read the same in pieces of %i bytes', (size) => {
    expect(eventsOf(WHOLE, size)).toEqual(['{"a":"é😀"}', 'two\nlines', 'b', '[DONE]']);
  });

  it('hands on an event as soon as it is whole', () => {
    const stream = new EventStream();
    expect(stream.add(bytes('data: 1\n'))).toEqual([]);
    expect(stream.add(bytes('\ndata: 2'))).toEqual(['1']);
    expect(stream.end()).toEqual(['2']);
  });

  it('hands on what older servers call an error', () => {
    expect(eventsOf('error: {"code":500}\n\n', 100)).toEqual(['{"error":{"code":500}}']);
  });

  it('gives up what has no end', () => {
    const stream = new EventStream();
    for (let time = 0; time < 20; time++) stream.add(bytes('x'.repeat(65_536)));
    expect(stream.overflowed).toBe(true);
    expect(stream.add(bytes('\n\ndata: 1\n\n'))).toEqual([]);
  });
});
