/** Draws a chart with Chart.js, in the theme's colours. Nothing moves. */
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartConfiguration,
  LinearScale,
  Tooltip,
} from 'chart.js';
import { element } from './elements';
import type { ChartFigure, Colour } from './figures';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

/** What a row of bars takes, in the page's font sizes: with its label in one line, or in two. */
const ROW_EM = 1.9;
const ROW_OF_TWO_EM = 2.9;
/** Of the axis. */
const AROUND_EM = 4.5;
const COLUMNS_EM = 18;

export class ChartView {
  readonly root: HTMLElement;
  private readonly frame: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  /** Of elements: on a canvas it would take the room of the bars on a narrow page. */
  private readonly legend = element('ul', { class: 'legend' });
  private chart: Chart | undefined;

  constructor(id: string) {
    this.canvas = element('canvas', { role: 'img', id: `${id}-chart` });
    this.frame = element('div', { class: 'chart' }, this.canvas);
    this.root = element('div', {}, this.frame, this.legend);
  }

  /**
   * @param words What it shows, for who does not see it.
   * @param narrow Labels stand in two lines.
   */
  show(figure: ChartFigure | undefined, words: string, narrow: boolean): void {
    this.chart?.destroy();
    this.chart = undefined;
    this.root.hidden = figure === undefined;
    if (figure === undefined) return;
    this.canvas.setAttribute('aria-label', words);
    const rowEm = narrow ? ROW_OF_TWO_EM : ROW_EM;
    const em = figure.kind === 'rows' ? AROUND_EM + rowEm * rowsOf(figure) : COLUMNS_EM;
    this.frame.style.setProperty('height', `${em}em`);
    const style = getComputedStyle(document.body);
    this.legend.hidden = figure.series.length < 2;
    this.legend.replaceChildren(
      ...figure.series.map(({ name, colour }) => {
        const swatch = element('span', { class: 'swatch', 'aria-hidden': 'true' });
        swatch.style.setProperty('background-color', colourOf(style, colour));
        return element('li', {}, swatch, name);
      }),
    );
    this.chart = new Chart(this.canvas, configurationOf(figure, style, narrow));
  }
}

function rowsOf({ labels, series, unstacked }: ChartFigure): number {
  return labels.length * (unstacked === true ? series.length * 0.7 : 1);
}

function configurationOf(
  figure: ChartFigure,
  style: CSSStyleDeclaration,
  narrow: boolean,
): ChartConfiguration<'bar', number[], string | string[]> {
  const { kind, labels, series, unit, axis, unstacked = false } = figure;
  const foreground = style.color;
  const font = { family: style.fontFamily, size: parseFloat(style.fontSize) * 0.95 };
  const line = variable(
    style,
    '--vscode-contrastBorder',
    variable(style, '--vscode-editor-background', 'Canvas'),
  );
  const grid = variable(style, '--vscode-charts-lines', foreground);
  const named = (text: string): object => ({ display: true, text, color: foreground, font });
  const ticks = { color: foreground, font };
  const category = {
    stacked: !unstacked,
    ticks: { ...ticks, autoSkip: kind === 'columns' },
    grid: { display: false },
  };
  const amount = {
    stacked: !unstacked,
    beginAtZero: true,
    ticks: { ...ticks, precision: 0, maxTicksLimit: 6 },
    grid: { color: grid },
    title: named(unit),
  };
  const rows = kind === 'rows';
  return {
    type: 'bar',
    data: {
      labels: labels.map((label) => (narrow ? label.split('\n') : label.replace('\n', ' '))),
      datasets: series.map(({ name, colour, values }) => ({
        label: name,
        data: [...values],
        backgroundColor: colourOf(style, colour),
        borderColor: line,
        borderWidth: 1,
        maxBarThickness: 2 * font.size,
      })),
    },
    options: {
      indexAxis: rows ? 'y' : 'x',
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      scales: rows ? { y: category, x: amount } : { x: { ...category, title: named(axis) }, y: amount },
      plugins: {
        tooltip: { animation: false },
      },
    },
  };
}

/** VS Code has a colour for each but grey. */
function colourOf(style: CSSStyleDeclaration, colour: Colour): string {
  if (colour === 'grey') return variable(style, '--vscode-descriptionForeground', 'GrayText');
  return variable(style, `--vscode-charts-${colour}`, colour);
}

function variable(style: CSSStyleDeclaration, name: string, otherwise: string): string {
  const value = style.getPropertyValue(name).trim();
  return value === '' ? otherwise : value;
}
