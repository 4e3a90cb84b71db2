/** Addresses of schemas. */

/** `reference` as seen from `base`, without fragment; undefined where it makes no address. */
export function resolved(reference: string, base: string | undefined): string | undefined {
  try {
    const url = new URL(reference, base);
    url.hash = '';
    return url.href;
  } catch {
    return undefined;
  }
}
