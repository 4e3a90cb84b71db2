/** A vocabulary whose tokens are characters, but for control tokens that it is told of. */
import type { Vocabulary } from '../../../core/chat/control_tokens';
import { type RenderTemplate, resultOf } from '../../../core/chat/limited_rendering';
import type { RenderOrder } from '../../../core/chat/render_messages';
import { renderedText } from '../../../core/chat/template_text';
import type { NativeResult } from '../../../core/engine/native_result';

/** Ids of control tokens count from here; below are code points. */
const FIRST_CONTROL = 0x11_0000;

export class MadeUpVocabulary implements Vocabulary {
  private readonly names: readonly string[];

  constructor(...names: readonly string[]) {
    this.names = names;
  }

  idOf(name: string): number {
    return FIRST_CONTROL + this.names.indexOf(name);
  }

  tokenize(text: string, parseSpecial: boolean): Promise<NativeResult<Uint32Array>> {
    const ids: number[] = [];
    for (let at = 0; at < text.length;) {
      const found = parseSpecial
        ? this.names.filter((name) => text.startsWith(name, at)).toSorted((a, b) => b.length - a.length)[0]
        : undefined;
      const code = text.codePointAt(at) ?? 0;
      ids.push(found === undefined ? code : this.idOf(found));
      at += found?.length ?? String.fromCodePoint(code).length;
    }
    return Promise.resolve({ ok: true, value: Uint32Array.from(ids) });
  }

  detokenize(ids: Uint32Array): Promise<NativeResult<Uint8Array>> {
    const text = [...ids].map((id) => this.names[id - FIRST_CONTROL] ?? String.fromCodePoint(id)).join('');
    return Promise.resolve({ ok: true, value: new TextEncoder().encode(text) });
  }
}

/** Renders in the test's own thread, and keeps what it was given. */
export function renderingHere(orders: RenderOrder[] = []): RenderTemplate {
  return (order) => {
    orders.push(order);
    return Promise.resolve(resultOf(renderedText(order)));
  };
}
