/** A place that is found again while somebody types behind it. */

/** Text right before a place that must be the same for it to be the same place, UTF-16 units. */
const CONTEXT = 1_024;

export interface Anchor {
  readonly uri: string;
  /** The end of the text before the place. */
  readonly context: string;
}

export function anchorAt(uri: string, before: string): Anchor {
  return { uri, context: before.slice(-CONTEXT) };
}

/** How many units of `text`, which was suggested at the anchor, stand at the end of `before` now, right behind the anchor. */
export function typedAlong(anchor: Anchor, text: string, uri: string, before: string): number | undefined {
  if (anchor.uri !== uri) return undefined;
  for (let typed = 0; typed <= text.length && typed <= before.length; typed++) {
    if (!before.endsWith(text.slice(0, typed))) continue;
    if (anchorAt(uri, before.slice(0, before.length - typed)).context === anchor.context) return typed;
  }
  return undefined;
}

/** Where the anchor is in its document's text, UTF-16 units from its start; undefined where it is gone. */
export function placeIn(text: string, { context }: Anchor): number | undefined {
  // What is shorter began with the document.
  const found = context.length < CONTEXT ? (text.startsWith(context) ? 0 : -1) : text.lastIndexOf(context);
  return found < 0 ? undefined : found + context.length;
}
