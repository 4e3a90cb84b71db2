/** A document that is typed in, with undo as an editor has it; and a slow model of it, which shares nothing with it. */

import type { Replacement } from '../../core/completion/document';

/** As many steps as can be undone. */
const MOST_UNDO = 20;

/** Undoes by inverse edits. */
export class TypedText {
  private now: string;
  private readonly inverse: Replacement[] = [];

  constructor(text: string) {
    this.now = text;
  }

  get text(): string {
    return this.now;
  }

  apply(edit: Replacement): void {
    const { offset, length, text } = edit;
    this.inverse.push({ offset, length: text.length, text: this.now.slice(offset, offset + length) });
    if (this.inverse.length > MOST_UNDO) this.inverse.shift();
    this.replace(edit);
  }

  /** The edit that was made for it; undefined where nothing can be undone. */
  undo(): Replacement | undefined {
    const edit = this.inverse.pop();
    if (edit !== undefined) this.replace(edit);
    return edit;
  }

  private replace({ offset, length, text }: Replacement): void {
    this.now = this.now.slice(0, offset) + text + this.now.slice(offset + length);
  }
}

/** Units one by one in an array; undoes by copies of all of it. */
export class SlowText {
  private units: string[];
  private readonly before: string[] = [];

  constructor(text: string) {
    this.units = text.split('');
  }

  get text(): string {
    return this.units.join('');
  }

  apply({ offset, length, text }: Replacement): void {
    this.before.push(this.text);
    if (this.before.length > MOST_UNDO) this.before.shift();
    for (let i = 0; i < length; i++) this.units.splice(offset, 1);
    for (let i = 0; i < text.length; i++) this.units.splice(offset + i, 0, text.charAt(i));
  }

  undo(): void {
    this.units = this.before.pop()?.split('') ?? this.units;
  }
}
