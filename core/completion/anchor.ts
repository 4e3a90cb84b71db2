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

/** Where the anchor is in a document, UTF-16 units from the start of `before`: of several such places the last before the cursor; undefined where it is gone. */
export function placeIn({ context }: Anchor, before: string, after: string): number | undefined {
  const whole = before + after;
  // What is shorter began with the document.
  if (context.length < CONTEXT) return whole.startsWith(context) ? context.length : undefined;
  const above = before.lastIndexOf(context);
  const found = above < 0 ? whole.indexOf(context) : above;
  return found < 0 ? undefined : found + context.length;
}
