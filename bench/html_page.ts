/** A report as one page that needs nothing else: a table of its rows, and plots. */
import { type Report, reportTable } from './report';

/** A plot, and what there is to say of it. */
export interface Figure {
  /** An SVG image. */
  readonly svg: string;
  readonly caption: string;
}

const STYLE = `
  body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; margin-bottom: 0; }
  table { border-collapse: collapse; margin: 1.5rem 0; font-variant-numeric: tabular-nums; }
  th, td { padding: 0.15rem 0.8rem; border-bottom: 1px solid #ddd; text-align: left; }
  th { border-bottom: 2px solid #888; }
  .right { text-align: right; }
  figure { margin: 2rem 0; }
  figcaption { color: #555; max-width: 45rem; }
  svg { max-width: 100%; height: auto; }
`;

export function htmlPage(report: Report, figures: readonly Figure[]): Uint8Array {
  const title = `Emberline: ${escaped(report.suite)}`;
  const { columns, lines } = reportTable(report);
  const row = (tag: 'th' | 'td', cells: readonly string[]): string => {
    const tagged = cells.map((cell, at) => {
      const side = columns[at]?.side === 'right' ? ' class="right"' : '';
      return `<${tag}${side}>${escaped(cell)}</${tag}>`;
    });
    return `<tr>${tagged.join('')}</tr>`;
  };
  const head = row(
    'th',
    columns.map((column) => column.title),
  );
  const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style></head>
<body>
<h1>${title}</h1>
<p>${escaped(report.machine)}</p>
${figures.map(({ svg, caption }) => `<figure>${svg}<figcaption>${escaped(caption)}</figcaption></figure>`).join('\n')}
<table><thead>${head}</thead><tbody>
${lines.map((cells) => row('td', cells)).join('\n')}
</tbody></table>
</body>
</html>
`;
  return Buffer.from(page);
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
