/** `23.0 kB`, `106 MB`, `4.68 GB`: in powers of ten, with three digits. */
export function sizeText(bytes: number): string {
  if (bytes === 0) return '0 kB';
  if (bytes < 1e6) return `${(bytes / 1e3).toPrecision(3)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toPrecision(3)} MB` : `${(bytes / 1e9).toPrecision(3)} GB`;
}
