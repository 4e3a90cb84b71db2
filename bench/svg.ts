/** An SVG image of a Vega specification, drawn without a browser. */
import type { Spec } from 'vega';

export async function svgOf(specification: Spec): Promise<string> {
  // Only here: it takes a while to load.
  const { parse, View } = await import('vega');
  return new View(parse(specification), { renderer: 'none' }).toSVG();
}
