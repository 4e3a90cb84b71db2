const UNITS = ['kB', 'MB', 'GB'];

/** `23.0 kB`, `106 MB`, `4.68 GB`, `1.10 TB`: in powers of ten, with three digits. */
export function sizeText(bytes: number): string {
  if (bytes === 0) return '0 kB';
  let size = bytes / 1e3;
  // Rounded to three digits, what is more has a fourth.
  for (const unit of UNITS) {
    if (size < 999.5) return `${size.toPrecision(3)} ${unit}`;
    size /= 1e3;
  }
  return `${size.toPrecision(3)} TB`;
}
