/**
 * Server-sent events, as far as completion servers use them (WHATWG HTML, 9.2): the data of each event, in order. llama.cpp's server once sent failures
 * in a field `error`, which is handed on like data.
 */

/** Longer than any event of a completion, UTF-16 units. What is longer is no such stream. */
const MOST_UNITS = 1_048_576;

export class EventStream {
  private readonly decoder = new TextDecoder();
  private buffer = '';
  private data: string[] = [];
  private tooLong = false;

  /** True once more came without an event's end than any event has: nothing follows then. */
  get overflowed(): boolean {
    return this.tooLong;
  }

  /** Takes in what came, and returns the events that it completes. */
  add(bytes: Uint8Array): string[] {
    return this.take(this.decoder.decode(bytes, { stream: true }));
  }

  /** What is left when the connection ends; an event without the blank line behind it counts, as servers forget it. */
  end(): string[] {
    return this.take(`${this.decoder.decode()}\n\n`);
  }

  private take(text: string): string[] {
    if (this.tooLong) return [];
    this.buffer += text;
    const events: string[] = [];
    for (;;) {
      // A carriage return at the end may be half a line break.
      const end = /\r\n|\n|\r(?!$)/.exec(this.buffer);
      if (end === null) break;
      const line = this.buffer.slice(0, end.index);
      this.buffer = this.buffer.slice(end.index + end[0].length);
      const event = this.line(line);
      if (event !== undefined) events.push(event);
    }
    const units = this.buffer.length + this.data.reduce((sum, one) => sum + one.length, 0);
    if (units > MOST_UNITS) {
      this.tooLong = true;
      this.buffer = '';
      this.data = [];
    }
    return events;
  }

  private line(line: string): string | undefined {
    if (line === '') {
      const event = this.data.length === 0 ? undefined : this.data.join('\n');
      this.data = [];
      return event;
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') this.data.push(value);
    else if (field === 'error') this.data.push(`{"error":${value === '' ? '{}' : value}}`);
    return undefined;
  }
}
